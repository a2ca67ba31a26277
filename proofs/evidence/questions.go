package evidence

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/addresses"
	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/lines"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// An answer is worth no more than its question and its parts: that four boards work says nothing about a cluster, and
// one part of sixteen says nothing about the other fifteen. So questions.txt lists the questions, each with its
// sentence, what is left to believe, and the form of the parts that its parameters require; the forms are here, and
// know no model. An answer to any other question, or with other parts, is refused. Whether the parts are about the
// right thing, say the routers of the paper, only a reader can judge.

// Question is a question of unknot ask whose answers have parts.
type Question struct {
	Name    string // of the model and of the question: "ring least-vcs"
	Asks    string // a sentence that is true if the answer is holds
	Believe string // what no part shows

	// Parameters are the names of those on which an answer depends, with ? those that some answers do without.
	Parameters string

	// parts returns the lists of parts that may answer it with parameters: of each part what matters.
	parts func(set map[string]string) ([][]call, error)
}

// call is a part that a question calls for.
type call struct {
	property string
	verdict  spec.Verdict // Unknown: either
	needs    spec.Verdict
	boards   int // of a table; 0: any number
	most     int // cables on a path of a table; -1: not compared
	vcs      int // of each link of a network; 0: any number
}

// questionsText is the table of questions: which models have them, what they ask, and which parts answer them. A
// sceptic reads it beside the answer. Each entry is
//
//	question MODEL NAME
//	asks SENTENCE              true if the answer is holds
//	believe SENTENCE           what no part shows
//	parameters NAME NAME? ...  those on which an answer depends, with ? those that some answers do without
//	parts FORM PARAMETER ...   see [forms]
//
//go:embed questions.txt
var questionsText string

// Questions lists the questions.
func Questions() []Question {
	all, err := readQuestions(questionsText)
	if err != nil {
		panic("evidence: " + err.Error()) // a file of this program's own, read by each of its tests
	}
	return all
}

func readQuestions(text string) ([]Question, error) {
	l := lines.New("questions.txt", strings.NewReader(text), "unknot-questions 1")
	all := []Question{}
	for strings.HasPrefix(l.Peek(), "question ") {
		q := Question{
			Name: l.Field("question"), Asks: l.Field("asks"), Believe: l.Field("believe"),
			Parameters: l.Field("parameters"),
		}
		parts := strings.Split(l.Field("parts"), " ")
		form, known := forms()[parts[0]]
		names := strings.Fields(q.Parameters)
		for _, name := range parts[1:] {
			if !slices.Contains(names, name) && !slices.Contains(names, name+"?") {
				known = false
			}
		}
		if !known || len(parts)-1 != form.parameters {
			l.Fail("no such form of parts, or not with these parameters: %.100q", parts)
		}
		q.parts = func(set map[string]string) ([][]call, error) { return form.parts(set, parts[1:]) }
		all = append(all, q)
	}
	read, err := lines.End(l, &all)
	if err != nil {
		return nil, err
	}
	return *read, nil
}

// form makes the lists of parts that may answer a question out of the values of some of its parameters.
type form struct {
	parameters int
	parts      func(set map[string]string, names []string) ([][]call, error)
}

// forms are the kinds of answers that this program knows, for all models.
func forms() map[string]form {
	return map[string]form{
		"addresses": {3, addressParts},  // N ROWS FILE: a table of N x ROWS boards, or of as many as the file has
		"hops":      {4, hopParts},      // N ROWS FILE MOST: such a table, with paths of at most so many cables
		"ties":      {2, tieParts},      // N ROWS: a network for each rule of one letter of two for each board
		"acyclic":   {0, settlingParts}, // a network without a cycle of dependencies, or a cycle
		"least":     {1, vcParts},       // VCS: a network with this number of VCs is free, and with one less it is not
		"regions":   {0, regionParts},   // regions that packets between their nodes do not leave
	}
}

// QuestionOf returns the question with a name, and whether there is one.
func QuestionOf(name string) (Question, bool) {
	all := Questions()
	i := slices.IndexFunc(all, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return Question{}, false
	}
	return all[i], true
}

// Asked writes a question with all parameters that its answer depends on, each as NAME=VALUE: a command that asks it
// again.
func Asked(question string, parameters []string) string {
	for _, p := range parameters {
		question += setFlag + p
	}
	return question
}

const setFlag = " --set "

const valueLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-," // of a value: no prose

// question returns what an answer is asked, and the lists of parts that may answer it.
func (a *Answer) question() (Question, [][]call, error) {
	words := strings.Split(a.Asked, setFlag)
	q, known := QuestionOf(words[0])
	if !known {
		return q, nil, fmt.Errorf("%.100q is no question that this program knows, with parts that answer it", words[0])
	}
	set := map[string]string{}
	names := strings.Fields(q.Parameters)
	for _, word := range words[1:] {
		name, value, is := strings.Cut(word, "=")
		_, twice := set[name]
		odd := name != "registers" && strings.Trim(value, valueLetters) != ""
		if !is || twice || odd || !slices.Contains(names, name) && !slices.Contains(names, name+"?") {
			return q, nil, fmt.Errorf("%.200q: want its parameters, each once, as NAME=VALUE", a.Asked)
		}
		set[name] = value
	}
	for _, name := range names {
		if _, given := set[name]; !given && !strings.HasSuffix(name, "?") {
			return q, nil, fmt.Errorf("%.200q lacks the parameter %s", a.Asked, name)
		}
	}
	lists, err := q.parts(set)
	return q, lists, err
}

// AsAsked refuses an answer that does not fit its question: with another sentence, other beliefs, or other parts than
// the question and its parameters require.
func (a *Answer) AsAsked() error {
	q, lists, err := a.question()
	switch {
	case err != nil:
		return err
	case a.Asks != q.Asks:
		return fmt.Errorf("%s asks whether %s, not %.200q", q.Name, q.Asks, a.Asks)
	case !slices.Equal(a.Believe, []string{q.Believe}):
		return fmt.Errorf("of an answer to %s it is to be believed that %s, not %.300q", q.Name, q.Believe, a.Believe)
	case a.called(lists) == nil:
		return fmt.Errorf("%.100q does not call for %s like these", a.Asked, words.Plural(len(a.Parts), "part"))
	}
	networks := map[string]bool{}
	for i, p := range a.Parts {
		if networks[p.Digest] && p.Digest != "" {
			return fmt.Errorf("part %d is about the network of another part", i+1)
		}
		networks[p.Digest] = true
	}
	return nil
}

// called returns the list that the parts answer, or nil.
func (a *Answer) called(lists [][]call) []call {
	for _, list := range lists {
		if len(list) != len(a.Parts) {
			continue
		}
		one := len(list) <= 2 // of few parts all belong to one case, of many each to its own
		fits := true
		for i, c := range list {
			p, number := a.Parts[i], i+1
			if one {
				number = 1
			}
			table := c.property == addresses.Arrive || c.property == addresses.Hops
			fits = fits && p.Property == c.property && (c.verdict == spec.Unknown || p.Verdict == c.verdict.String()) &&
				p.Needs == c.needs.String() && p.Case == number && table == (p.Subject == "")
		}
		if fits {
			return list
		}
	}
	return nil
}

// partAsAsked refuses a verified part whose network or table is not of the size that the question's parameters say.
func (a *Answer) partAsAsked(i int, of *Subject, t *addresses.Table) error {
	_, lists, err := a.question()
	if err != nil {
		return nil // [Answer.AsAsked] refuses all of it
	}
	list := a.called(lists)
	switch {
	case list == nil:
		return nil
	case t != nil && (list[i].boards > 0 && t.Boards != list[i].boards ||
		list[i].most >= 0 && t.Most != min(list[i].most, t.Boards)):
		return fmt.Errorf("a table of %d boards with paths of at most %d cables, which is not what %.100q calls for",
			t.Boards, t.Most, a.Asked)
	case of.Network == nil || list[i].vcs == 0:
		return nil
	}
	topo := of.Network.Topology()
	for l := range spec.LinkID(topo.Links()) {
		if vcs := topo.Link(l).VCs; vcs != list[i].vcs {
			return fmt.Errorf("a network with %s in a link, which is not what %.100q calls for",
				words.Plural(vcs, "VC"), a.Asked)
		}
	}
	return nil
}

var errParameter = errors.New("the question has a parameter that is missing or out of range")

// number returns a parameter from 1 on.
func number(set map[string]string, name string, most int) (int, error) {
	x, err := strconv.Atoi(set[name])
	if err != nil || x < 1 || x > most {
		return 0, fmt.Errorf("%s=%.40s: %w", name, set[name], errParameter)
	}
	return x, nil
}

// boardsOf returns the boards of a system, the product of two parameters; 0 if a third one names a file that
// describes it.
func boardsOf(set map[string]string, names []string) (int, error) {
	const most = 1024
	if len(names) > 2 && set[names[2]] != "" {
		return 0, nil
	}
	n, err := number(set, names[0], most)
	if err != nil {
		return 0, err
	}
	rows, err := number(set, names[1], 2)
	return n * rows, err
}

func addressParts(set map[string]string, names []string) ([][]call, error) {
	boards, err := boardsOf(set, names)
	return [][]call{{{property: addresses.Arrive, needs: spec.Holds, boards: boards, most: boards - 1}}}, err
}

func hopParts(set map[string]string, names []string) ([][]call, error) {
	boards, err := boardsOf(set, names)
	if err != nil {
		return nil, err
	}
	hops, err := number(set, names[3], 1<<10)
	return [][]call{
		{{property: addresses.Arrive, verdict: spec.Holds, needs: spec.Holds, boards: boards, most: hops}},
		{{property: addresses.Hops, verdict: spec.Violated, needs: spec.Holds, boards: boards, most: hops}},
	}, err
}

// tieParts calls for each rule, one letter of two for each board; or for the packets that meet no tie, if they
// deadlock, as with every rule, or if there may be no tie, as no board is opposite another.
func tieParts(set map[string]string, names []string) ([][]call, error) {
	const most = 10 // boards: 1024 rules
	boards, err := boardsOf(set, names)
	if err != nil {
		return nil, err
	}
	n, err := number(set, names[0], 1<<10)
	if err != nil {
		return nil, err
	}
	rule := call{property: spec.DeadlockFreedom.String(), needs: spec.Holds}
	none := rule
	if n%2 == 0 {
		none.verdict = spec.Violated
	}
	lists := [][]call{{none}}
	if boards <= most {
		lists = append(lists, slices.Repeat([]call{rule}, 1<<boards))
	}
	return lists, nil
}

func settlingParts(map[string]string, []string) ([][]call, error) {
	return [][]call{
		// It shows as much as an acyclic graph.
		{{property: spec.DeadlockFreedom.String(), verdict: spec.Holds, needs: spec.Holds}},
		{{property: answers.Acyclic, verdict: spec.Violated, needs: spec.Holds}},
	}, nil
}

// vcParts calls for freedom with the given number, and for a deadlock with one less; if either is otherwise, for that
// alone.
func vcParts(set map[string]string, names []string) ([][]call, error) {
	k, err := number(set, names[0], 1<<10)
	part := func(verdict, needs spec.Verdict, vcs int) call {
		return call{property: spec.DeadlockFreedom.String(), verdict: verdict, needs: needs, vcs: vcs}
	}
	free := part(spec.Holds, spec.Holds, k)
	lists := [][]call{{part(spec.Violated, spec.Holds, k)}}
	if k == 1 {
		return append(lists, []call{free}), err
	}
	return append(lists, []call{free, part(spec.Violated, spec.Violated, k-1)},
		[]call{part(spec.Holds, spec.Violated, k-1)}), err
}

func regionParts(map[string]string, []string) ([][]call, error) {
	return [][]call{{{property: answers.Regions, needs: spec.Holds}}}, nil
}
