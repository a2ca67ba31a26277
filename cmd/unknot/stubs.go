package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
)

// stubsCommand writes the functions of network and protocol files for editors.
func stubsCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "stubs",
		Short: "Write what network and protocol files can call, for an editor",
		Long: `Stubs writes the functions of network and protocol files as declarations in Python, with
their pages of the guide as documentation. Language servers complete and explain them:

  Pyright, Pylance       as __builtins__.pyi in the folder of the files, which are opened as Python
  starlark-lsp (Tilt)    as a file of --builtin-paths`,
		Example: `  unknot stubs > __builtins__.pyi`,
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			text, err := stubs()
			if err == nil {
				_, err = io.WriteString(out, text)
			}
			return err
		},
	}
}

// manual are the pages whose headings are functions.
var manual = [...]string{"network-files", "protocol-files"}

// stub is a function: its parameters in Python, and what the manual says of it.
type stub struct {
	name       string
	parameters []string
	text       []string // of each page that has it
}

// stubs makes declarations from the headings of the manual. A function of both pages that takes other arguments in
// each takes those of either.
func stubs() (string, error) {
	var all []*stub
	byName := map[string]*stub{}
	for _, topic := range manual {
		page, err := guide.Page(topic)
		if err != nil {
			return "", err
		}
		for _, section := range strings.Split(page, "\n## ")[1:] {
			heading, text, _ := strings.Cut(section, "\n")
			found := functionHeading.FindStringSubmatch(heading)
			if found == nil || found[1] == "route" { // which the file defines
				continue
			}
			s := byName[found[1]]
			if s == nil {
				s = &stub{name: found[1]}
				byName[s.name], all = s, append(all, s)
			}
			s.add(parameters(found[2]), strings.TrimSpace(helpPage(text)))
		}
	}
	var b strings.Builder
	b.WriteString("# What network and protocol files of unknot can call. Written by unknot stubs.\n")
	for _, s := range all {
		fmt.Fprintf(&b, "\ndef %s(%s):\n    r\"\"\"%s\"\"\"\n    ...\n", s.name, strings.Join(s.parameters, ", "),
			strings.ReplaceAll(strings.Join(s.text, "\n\n"), "\n", "\n    "))
	}
	return b.String(), nil
}

var functionHeading = regexp.MustCompile(`^([a-z_]+)\((.*)\)$`)

// add adds what a page has about a function. The parameters of a second page are those of the first, or all are
// optional.
func (s *stub) add(parameters []string, text string) {
	text = strings.ReplaceAll(text, `"""`, `'''`)
	if strings.HasSuffix(text, `"`) {
		text += " "
	}
	s.text = append(s.text, text)
	if s.parameters == nil || slices.Equal(s.parameters, parameters) {
		s.parameters = parameters
		return
	}
	var either []string
	for _, p := range slices.Concat(s.parameters, parameters) {
		if !strings.ContainsAny(p, "=*") {
			p += "=None"
		}
		if !slices.Contains(either, p) {
			either = append(either, p)
		}
	}
	s.parameters = either
}

// parameters returns the parameters of a heading as Python has them: "min=" is optional, "field = values, ..." any
// fields, and "..." more of those before it, which are named or not.
func parameters(heading string) (all []string) {
	if strings.HasPrefix(heading, "[") { // a list of alternatives
		return []string{"alternatives"}
	}
	var more, named bool
	for _, p := range strings.Split(heading, ",") {
		name, value, optional := strings.Cut(strings.TrimSpace(p), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case name == "":
		case name == "...":
			more = true
		case optional && value == "values" || name == "p": // whatever the file calls it
			named = true
		case optional && value == "":
			all = append(all, name+"=None")
		case optional:
			all = append(all, name+"="+value)
		default:
			all = append(all, name)
		}
	}
	switch {
	case named || more && strings.Contains(all[len(all)-1], "="):
		return append(all, "**more")
	case more:
		return append(all, "*more")
	}
	return all
}
