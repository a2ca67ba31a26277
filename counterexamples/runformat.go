package counterexamples

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// The written form of a run:
//
//	unknot-run 2
//	machine NAME
//	property NAME
//	fault broken|halt|refused|unanswered
//	start NUMBER
//	back NUMBER                          unanswered: the loop begins after so many steps
//	step ACTION CHOICE NAME
//	state TEXT                           what the step before changed; for people, not read
//	end
//
// ACTION is the action's number. Names are Go strings in double quotes. A machine's name is not a
// digest: who replays a run has to make the same machine again.

const runLine = "unknot-run 2"

// WriteRun writes the run's written form, with what each step changes.
func WriteRun(w io.Writer, m spec.Machine, r *Run) error {
	states, err := r.States(m)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\nmachine %q\nproperty %q\nfault %s\nstart %d\n", runLine, r.Machine, r.Property, r.Fault, r.Start)
	if r.Fault == Unanswered {
		fmt.Fprintf(b, "back %d\n", r.Back)
	}
	fmt.Fprintf(b, "state %s\n", comment(m.Layout().Text(states[0])))
	for i, t := range r.Steps {
		fmt.Fprintf(b, "step %d %d %q\nstate %s\n", t.Action.Number, t.Choice, t.Action.Name, comment(m.Layout().Changes(states[i], states[i+1])))
	}
	b.WriteString("end\n")
	return b.Flush()
}

// ReadRun reads the written form. Errors are *spec.PosError with the given file name.
func ReadRun(file string, in io.Reader) (*Run, error) {
	p := &parser{file: file, lines: bufio.NewScanner(in), plain: true}
	p.lines.Buffer(nil, 1<<24)
	r := &Run{}
	if words := p.next(); p.err == nil && strings.Join(words, " ") != runLine {
		p.fail("want %q here", runLine)
	}
	r.Machine = p.quoted("machine")
	r.Property = p.quoted("property")
	name := p.field("fault", 1)[0]
	for f, known := range runFaultNames {
		if known == name {
			r.Fault = f
		}
	}
	if r.Fault == 0 {
		p.fail("invalid fault of a run %.40q", name)
	}
	r.Start = int(p.number(p.field("start", 1)[0], 0, 1<<31-1))
	if r.Fault == Unanswered {
		r.Back = int(p.number(p.field("back", 1)[0], 0, 1<<31-1))
	}
	for p.err == nil {
		words := p.next()
		if p.err != nil || len(words) == 1 && words[0] == "end" {
			break
		}
		if words[0] == "state" {
			continue
		}
		if len(words) < 4 || words[0] != "step" {
			p.fail("want \"step ACTION CHOICE NAME\" or \"end\" here")
			break
		}
		t := Taken{Choice: int(p.number(words[2], 0, 1<<31-1))}
		t.Action.Number = int(p.number(words[1], 0, 1<<62))
		quoted, _ := strings.CutPrefix(p.lines.Text(), strings.Join(words[:3], " ")+" ")
		t.Action.Name = p.unquote(quoted)
		r.Steps = append(r.Steps, t)
	}
	p.end("run")
	if p.err != nil {
		return nil, p.err
	}
	return r, nil
}

// quoted reads "name "TEXT"".
func (p *parser) quoted(name string) string {
	words := p.next()
	if p.err == nil && words[0] != name {
		p.fail("want \"%s\" and a text in quotes here", name)
	}
	if p.err != nil {
		return ""
	}
	return p.unquote(strings.TrimPrefix(p.lines.Text(), name+" "))
}

func (p *parser) unquote(text string) string {
	s, err := strconv.Unquote(text)
	if err != nil || strconv.Quote(s) != text {
		p.fail("want a text in double quotes here, not %.60q", text)
	}
	return s
}
