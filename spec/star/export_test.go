package star

// Plainly returns options with which route is asked without stand-ins.
func (o Options) Plainly() Options {
	o.plainly = true
	return o
}
