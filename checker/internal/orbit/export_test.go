package orbit

// Sorts reports whether representatives are made by sorting.
func (l *Least) Sorts() bool { return l.sorted != nil }

// Blocks returns the same renamings, whose representatives are the least images by blocks.
func (l *Least) Blocks() *Least {
	blocks := *l
	blocks.sorted = nil
	return &blocks
}
