package topology

import "strings"

// Names with blanks, such as "sw 0", make a list whose fields blanks separate ambiguous: "sw 0 sw 1 2" reads as a link
// from sw to 0 with the weight sw, and a verdict about that network would be one about nothing. Where names recur tells
// such a list from one with columns of data: a node stands behind the ends of a link, or names that are cut into words
// begin with some words and end with others, so no node both begins and ends a link. Numbers tell less: names such as
// "0 1" are refused where one of them stands on both sides, unless something says that the columns are data.

// ifBlanks is what to do with a list whose names seem to have blanks.
const ifBlanks = "if names have blanks, write the graph with nx.write_graphml, or put commas between the fields"

// mostHalves is how many rows are cut in halves: the words of names recur early.
const mostHalves = 1 << 12

// tails collects what stands behind the two ends of the links of an edge list.
type tails struct {
	texts []field          // that are no numbers, each once
	met   map[string]bool  // they
	third *field           // the first of them that is the third of four fields or more
	left  map[string]bool  // halves of rows
	right map[string]field // and where the first of each begins
	equal bool             // in some row they are equal, which no names are
}

func newTails() *tails {
	return &tails{met: map[string]bool{}, left: map[string]bool{}, right: map[string]field{}}
}

func (t *tails) add(fields []field) {
	for i, f := range fields[2:] {
		if _, text := ValueOf(f.text).(string); text && !t.met[f.text] {
			t.met[f.text], t.texts = true, append(t.texts, f)
			if i == 0 && len(fields) > 3 && t.third == nil {
				t.third = &f
			}
		}
	}
	if k := len(fields) / 2; k > 1 && len(t.left) < mostHalves {
		left, right := joined(fields[:k]), joined(fields[k:2*k])
		t.left[left], t.equal = true, t.equal || left == right
		if t.right[right].text == "" {
			t.right[right] = fields[k]
		}
	}
}

// recurs returns the first place of a half that stands on both sides, and its text; nil if there is none.
func (t *tails) recurs() (at *field, text string) {
	for half, f := range t.right {
		if t.left[half] && (at == nil || f.at.line < at.at.line) {
			at, text = &f, half
		}
	}
	return at, text
}

func joined(fields []field) string { return strings.Join(textsOf(fields), " ") }

// fault returns an error if the names of the draft's nodes seem to have blanks. told is whether something else says that
// the columns behind the ends are data.
func (t *tails) fault(d *draft, told bool) error {
	for _, f := range t.texts {
		if _, node := d.index[f.text]; node {
			return d.wrong(f.at, "%.40q, behind the two ends of a link, is the name of a node: want data of the link; %s",
				f.text, ifBlanks)
		}
	}
	recurs, half := t.recurs()
	if recurs != nil && !t.equal && !told {
		return d.wrong(recurs.at, "%.40q, behind the two ends of a link, stands before them, too: if it is data, want a first "+
			"row with a name for each column, such as from to weight; %s", half, ifBlanks)
	}
	begins := make([]bool, len(d.nodes))
	for _, l := range d.links {
		begins[l.from] = true
	}
	for _, l := range d.links {
		if begins[l.to] {
			return nil
		}
	}
	at := t.third
	if recurs != nil && !told && (at == nil || recurs.at.line < at.at.line) {
		at = recurs
	}
	if at == nil {
		return nil
	}
	return d.wrong(at.at, "%.40q behind the two ends of a link, and no node both begins and ends a link: want one word "+
		"for each node; %s", at.text, ifBlanks)
}
