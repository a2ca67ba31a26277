package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-105a2da2/unknot/proofs/answers"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// An answer is worth no more than its question and its parts: four boards that work say nothing of
// a cluster, and one part of sixteen nothing of the other fifteen. So the questions are listed here, each with its
// sentence, what is left to believe, and the parts that it calls for with its parameters. An answer to any other
// question, or with other parts, is refused. What the parts are about in the end, whether these routers are the paper's,
// only people can tell.

// Question is a question of unknot ask whose answers have parts.
type Question struct {
	Name    string // of the model and of the question: "peach2 ties"
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

// Questions lists the questions.
func Questions() []Question {
	const cluster, rings, cells = "n? rings? coupled? tie? order? variant? south? registers?", "n rings coupled? order? south?", "columns rows dx dy variant"
	const settled = "the network in the part is that of packets that start in any link to which the tables may have sent them, and follow those that they may still meet"
	return []Question{
		{"peach2 addresses", "every address of the window takes one port at every board and reaches its own device",
			"the registers, cables and areas in the part are those of the cluster; that no address is left over is the model's alone", cluster, addressParts},
		{"peach2 hops", "no path has more cables than the parameter hops", "the registers, cables and areas in the part are those of the cluster", cluster + " hops", hopParts},
		{"peach2 ties", "some rule for ties frees minimal routing with one buffer class", "the rules in the parts are all rules for ties of these boards", rings, tieParts},
		{"p3-rebalance settles", "once all entries are rewritten, in whatever order, packets do not wait in a cycle, wherever they are", settled, cells, settlingParts},
		{"p3-rebalance settles-quietly", "packets that travel wholly by the tables before or wholly by those after do not wait in a cycle", settled, cells, settlingParts},
		{"rwc1 least-vcs", "the given number of VCs leaves the routers' network without deadlock, and one VC less does not",
			"the networks in the parts are those of the paper's routers", "n topology vcs border", vcParts},
		{"rwc1 partitions", "no packet between two nodes of a partition passes a node outside of it, for all partitions of the chosen kind",
			"the regions in the part are the partitions, and the network is that of the paper's routers", "n topology blocks", regionParts},
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

// Asked writes a question with all parameters that its answer depends on, each as NAME=VALUE: a command that asks it again.
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
		if odd := name != "registers" && strings.Trim(value, valueLetters) != ""; !is || twice || odd || !slices.Contains(names, name) && !slices.Contains(names, name+"?") {
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

// AsAsked refuses an answer that is none to its question: a sentence or beliefs of its own, or other parts than the question
// and its parameters call for.
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
			table := c.property == answers.Addresses || c.property == answers.Hops
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
func (a *Answer) partAsAsked(i int, of *Subject, t *answers.AddressTable) error {
	_, lists, err := a.question()
	if err != nil {
		return nil // [Answer.AsAsked] refuses all of it
	}
	list := a.called(lists)
	switch {
	case list == nil:
		return nil
	case t != nil && (list[i].boards > 0 && t.Boards != list[i].boards || list[i].most >= 0 && t.Most != min(list[i].most, t.Boards)):
		return fmt.Errorf("a table of %d boards with paths of at most %d cables, which is not what %.100q calls for", t.Boards, t.Most, a.Asked)
	case of.Network == nil || list[i].vcs == 0:
		return nil
	}
	topo := of.Network.Topology()
	for l := range spec.LinkID(topo.Links()) {
		if vcs := topo.Link(l).VCs; vcs != list[i].vcs {
			return fmt.Errorf("a network with %s in a link, which is not what %.100q calls for", words.Plural(vcs, "VC"), a.Asked)
		}
	}
	return nil
}

var errParameter = errors.New("the question has a parameter that is missing or out of range")

// number returns a parameter.
func number(set map[string]string, name string, least, most int) (int, error) {
	x, err := strconv.Atoi(set[name])
	if err != nil || x < least || x > most {
		return 0, fmt.Errorf("%s=%.40s: %w", name, set[name], errParameter)
	}
	return x, nil
}

// boardsOf returns the boards of a cluster, 0 if a file describes it.
func boardsOf(set map[string]string) (int, error) {
	const most = 1024
	if set["registers"] != "" {
		return 0, nil
	}
	n, err := number(set, "n", 1, most)
	if err != nil {
		return 0, err
	}
	rings, err := number(set, "rings", 1, 2)
	return n * rings, err
}

func addressParts(set map[string]string) ([][]call, error) {
	boards, err := boardsOf(set)
	return [][]call{{{property: answers.Addresses, needs: spec.Holds, boards: boards, most: boards - 1}}}, err
}

func hopParts(set map[string]string) ([][]call, error) {
	boards, err := boardsOf(set)
	if err != nil {
		return nil, err
	}
	hops, err := number(set, "hops", 1, 1<<10)
	return [][]call{
		{{property: answers.Addresses, verdict: spec.Holds, needs: spec.Holds, boards: boards, most: hops}},
		{{property: answers.Hops, verdict: spec.Violated, needs: spec.Holds, boards: boards, most: hops}},
	}, err
}

// tieParts calls for each rule, one letter of two for each board; or for the packets that meet no tie, if they deadlock, as
// with every rule, or if there may be no tie, as no board is opposite another.
func tieParts(set map[string]string) ([][]call, error) {
	const most = 10 // boards: 1024 rules
	boards, err := boardsOf(set)
	if err != nil {
		return nil, err
	}
	n, err := number(set, "n", 1, 1<<10)
	if err != nil {
		return nil, err
	}
	rule := call{property: spec.Deadlock.String(), needs: spec.Holds}
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

func settlingParts(map[string]string) ([][]call, error) {
	return [][]call{
		{{property: spec.Deadlock.String(), verdict: spec.Holds, needs: spec.Holds}}, // shows as much as an acyclic graph
		{{property: answers.Acyclic, verdict: spec.Violated, needs: spec.Holds}},
	}, nil
}

// vcParts calls for freedom with the given number, and for a deadlock with one less; if either is otherwise, for that alone.
func vcParts(set map[string]string) ([][]call, error) {
	k, err := number(set, "vcs", 1, 1<<10)
	part := func(verdict, needs spec.Verdict, vcs int) call {
		return call{property: spec.Deadlock.String(), verdict: verdict, needs: needs, vcs: vcs}
	}
	free := part(spec.Holds, spec.Holds, k)
	lists := [][]call{{part(spec.Violated, spec.Holds, k)}}
	if k == 1 {
		return append(lists, []call{free}), err
	}
	return append(lists, []call{free, part(spec.Violated, spec.Violated, k-1)}, []call{part(spec.Holds, spec.Violated, k-1)}), err
}

func regionParts(map[string]string) ([][]call, error) {
	return [][]call{{{property: answers.Regions, needs: spec.Holds}}}, nil
}
