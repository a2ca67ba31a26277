package studies

import "github.com/seed-105a2da2/unknot/models/catalogue"

// Subject returns the parameters that an answer depends on, with their values, without finding the answer.
func Subject(e catalogue.Entry, all []Question, question string, set map[string]string) ([]string, error) {
	subject, _, err := prepare(e, all, question, set)
	return subject, err
}
