package studies

import "github.com/seed-105a2da2/unknot/models/catalogue"

// Subject returns the parameters that an answer depends on, with their values, in
// the order of the entry, without finding the answer.
func Subject(e catalogue.Entry, question string, set map[string]string) ([]string, error) {
	subject, _, err := prepare(e, question, set)
	return subject, err
}
