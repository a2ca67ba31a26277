package star

import "go.starlark.net/starlark"

// run is what the built-in functions know about the thread that calls them.
type run struct {
	limit    uint64 // steps
	site     *site  // the arguments of route; nil at top level
	function string // flows or replies, if its function is evaluated instead of route

	evaluation *evaluation  // of a rule or property of a machine
	probe      *symbolicRun // the run with symbolic values, if it is one
	calls      *calls       // the calls remembered; nil: none
	hops       int          // how many were made
	places     *places      // of these
	last       [8]lastPlace
}

// subject names what is being evaluated; "" at top level.
func (r *run) subject() string {
	switch {
	case r.evaluation != nil:
		return r.evaluation.about
	case r.site == nil:
		return ""
	case r.function != "":
		return "in " + r.function + " from " + r.site.node.name + " to " + r.site.dest.name
	}
	return "in route at " + r.site.String()
}

const runKey = "run"

func runOf(t *starlark.Thread) *run { return t.Local(runKey).(*run) }

func newThread(file string, r *run) *starlark.Thread {
	t := &starlark.Thread{Name: file, Print: func(*starlark.Thread, string) {}}
	t.SetLocal(runKey, r)
	t.SetMaxExecutionSteps(r.limit)
	return t
}

func evaluationOf(t *starlark.Thread) *evaluation { return runOf(t).evaluation }
