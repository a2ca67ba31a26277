package star

// Plainly returns options with which route is asked without stand-ins.
func (o Options) Plainly() Options {
	o.tested = func(r *relation) { r.plainly = true }
	return o
}

// Counting returns options with which count says how many runs of route with stand-ins
// are remembered, and how many sites were asked about plainly.
func (o Options) Counting(count *func() (runs, plain int)) Options {
	o.tested = func(r *relation) {
		*count = func() (runs, plain int) {
			for i := range r.memo.parts {
				plain += len(r.memo.parts[i].rows)
			}
			return r.routes.leaves, plain
		}
	}
	return o
}
