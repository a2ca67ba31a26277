package p3

// The planes of the findings, each the smallest known.

// Bent is a grid of 2 x 2 whose middle corner has been moved up by a quarter: the two
// PEs below have angles of less than 180° there, and a target far above lies in zone B
// of both.
func Bent() *Plane {
	g := newMesh(2, 2, 64)
	g.corners[1][1].Y += 16
	return g.plane()
}

// Bow is a grid of 3 x 2 whose upright boundaries are bent away from each other: the
// four PEs at its ends have sharp corners, and packets whose targets lie in a strip
// (zone A) all the way make every turn of a cycle around both inner corners, in either
// direction.
func Bow() *Plane {
	g := newMesh(3, 2, 64)
	for _, y := range [...]int{0, 2} {
		g.corners[y][1].X -= 16
		g.corners[y][2].X += 16
	}
	return g.plane()
}

// Brick has corners in the middle of edges, as in the figure of the paper on dynamic
// balancing.
func Brick() *Plane {
	return newPlane([]Region{
		{"a", []Point{{0, 0}, {60, 0}, {60, 64}, {40, 64}, {0, 64}}},
		{"b", []Point{{60, 0}, {128, 0}, {128, 64}, {60, 64}}},
		{"c", []Point{{0, 64}, {40, 64}, {40, 128}, {0, 128}}},
		{"d", []Point{{40, 64}, {60, 64}, {128, 64}, {128, 128}, {40, 128}}},
	})
}

// Notch is not convex: the arm leans over the border of side.
func Notch() *Plane {
	return newPlane([]Region{
		{"foot", []Point{{0, 0}, {64, 0}, {64, 64}, {0, 64}}},
		{"side", []Point{{64, 0}, {128, 0}, {128, 64}, {64, 64}}},
		{"arm", []Point{{0, 64}, {64, 64}, {96, 128}, {0, 128}}},
	})
}
