package p3

// Shapes of the findings, each the smallest known.

// Bent is a grid of 2 x 2 whose middle corner has been moved up by a quarter:
// the two PEs below meet it with less than 180°, and a target far above lies in
// zone B of both.
func Bent() (*Plane, error) {
	g := newMesh(2, 2, 64)
	g.corners[1][1].Y += 16
	return g.plane()
}

// Bow is a grid of 3 x 2 whose upright boundaries are bent away from each other:
// the four PEs at its ends have sharp corners, and a packet whose target lies in
// a strip (zone A) all the way makes every turn of a cycle around both inner
// corners, in either direction.
func Bow() (*Plane, error) {
	g := newMesh(3, 2, 64)
	for _, y := range [...]int{0, 2} {
		g.corners[y][1].X -= 16
		g.corners[y][2].X += 16
	}
	return g.plane()
}

// Fan is a square of sixteen triangles around its middle, which is the nearest
// point of up to seven of them to a target on the other side.
func Fan() (*Plane, error) {
	const side = 32
	around := []Point{{2, 1}, {2, 2}, {1, 2}, {0, 2}, {-1, 2}, {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2}, {0, -2}, {1, -2}, {2, -2}, {2, -1}, {2, 0}}
	var regions []Region
	for i, a := range around {
		b := around[(i+1)%len(around)]
		regions = append(regions, Region{Name: string(rune('a' + i)), Corners: []Point{{0, 0}, {a.X * side / 2, a.Y * side / 2}, {b.X * side / 2, b.Y * side / 2}}})
	}
	return NewPlane(regions)
}
