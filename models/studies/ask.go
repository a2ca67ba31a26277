package studies

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

// Ask answers one of the questions about a model for the given parameters; see
// catalogue.Entry.Define. Parameters that cannot affect the answer are an error.
func Ask(
	ctx context.Context, e catalogue.Entry, all []Question, question string, set map[string]string,
) (Answer, error) {
	subject, decide, err := prepare(e, all, question, set)
	if err != nil {
		return Answer{}, err
	}
	a, err := decide(ctx)
	if err != nil {
		return Answer{}, e.Named(err)
	}
	a.Subject = subject
	return a, nil
}

// prepare returns the parameters that the answer depends on, with their values, in the order of the entry, and what
// finds the answer.
func prepare(e catalogue.Entry, all []Question, question string, set map[string]string) ([]string, study, error) {
	args, err := e.Args(set)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(all, func(q Question) bool { return q.Name == question })
	if i < 0 {
		return nil, nil, fmt.Errorf("%s has no question %.40q: %s", e.Name, question, listed(all))
	}
	decide, err := all[i].study(args)
	if err != nil {
		return nil, nil, e.Named(err)
	}
	var subject, names []string
	for _, p := range e.Parameters() {
		value, read := args.Used(p.Name)
		if read && value != "" {
			subject = append(subject, p.Name+"="+value)
		}
		if read {
			names = append(names, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, read := args.Used(name); !read {
			uses := "it depends on none"
			if names != nil {
				uses = "here it depends on " + strings.Join(names, ", ")
			}
			return nil, nil, fmt.Errorf("%s %s does not depend on parameter %q: %s", e.Name, question, name, uses)
		}
	}
	return subject, decide, nil
}

func listed(all []Question) string {
	if len(all) == 0 {
		return "it has none"
	}
	names := make([]string, len(all))
	for i, q := range all {
		names[i] = q.Name
	}
	return "it has " + strings.Join(names, ", ")
}
