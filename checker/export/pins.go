package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-105a2da2/unknot/spec/program"
)

// cWords are names that a local variable of a rule must not have: C's words, and the
// names that the rules themselves use.
const cWords = promelaWords + ` alignas alignof bool constexpr false nullptr static_assert thread_local true typeof
typeof_unqual s d same value in model group source found`

// PINS writes the program in C, as a model for LTSmin's interface (Kant et al. 2015):
// compiled to a shared library, it is explored by pins2lts-mc, -dist and -sym. A rule is a
// group of transitions; its row in each dependency matrix is the variables that it reads,
// those that it may write and those that it always writes. A step is labelled with the
// rule's name; an invariant is a state label, 1 where it holds. An assignment that leaves
// its range ends the run. Several initial states are chosen by a first step, which adds a state. Responses, fairness and final states are not written.
func PINS(out io.Writer, p *program.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	several := p
	p = chosenFirst(p)
	w := &page{notation: notation{
		variables: newIdentifiers(cWords).variables(p),
		signs:     signs("==", "!="),
		and:       "&&", or: "||", not: "!", yes: "1", no: "0",
		choice: [4]string{"(", " ? ", " : ", ")"},
	}}
	w.lines("/* "+written+" */", "/* "+oneLine(p.Name),
		"   cc -O2 -fPIC -shared -o model.so model.c && pins2lts-mc model.so */")
	w.notes(p, "/* ", " */", expressed{})
	w.noteChosenFirst(several, "/* ", " */")
	w.lines("#include <stdio.h>", "#include <string.h>", "#include <ltsmin/pins.h>",
		"#include <ltsmin/pins-util.h>", "",
		"typedef long long value;", "", "extern void ltsmin_abort(int) __attribute__((noreturn));",
		"char pins_plugin_name[] = \"unknot\";", "",
		"static inline value in(value v, value values, const char *what) {",
		`  if (v < 0 || v >= values) { fprintf(stderr, "%s leaves its range: %lld\n", what, v); ltsmin_abort(1); }`,
		"  return v;", "}")
	var groups, labels []dependencies
	for i := range p.Rules {
		r := &p.Rules[i]
		of := newDependencies(len(p.Variables))
		reads(&r.Guard, of.see)
		of.statements(r.Effect, true)
		groups = append(groups, of)
		w.lines("", "/* "+oneLine(r.Name)+" */",
			fmt.Sprintf("static int rule_%d(const int *s, int *d, int *same) {", i))
		w.slots(of, "value")
		w.put("  if (!")
		w.expr(&r.Guard, 1)
		w.lines(") return 0;")
		w.pins(p, r.Effect, 1)
		for v, may := range of.may {
			if may {
				w.lines(fmt.Sprintf("  d[%d] = (int)%s;", v, w.variables[v]))
			}
		}
		w.lines("  (void)s, (void)d, (void)same;", "  return 1;", "}")
	}
	for i := range p.Invariants {
		of := newDependencies(len(p.Variables))
		reads(&p.Invariants[i].Holds, of.see)
		labels = append(labels, of)
		w.lines("", "/* invariant: "+oneLine(p.Invariants[i].Name)+" */",
			fmt.Sprintf("static int invariant_%d(const int *s) {", i))
		w.slots(of, "const value")
		w.put("  (void)s;\n  return ")
		w.expr(&p.Invariants[i].Holds, 1)
		w.lines(";", "}")
	}
	w.pinsModel(p, groups, labels)
	_, err := out.Write(w.Bytes())
	return err
}

// cString writes a name as a string of C, in which ??/ and its like would be trigraphs.
func cString(name string) string { return `"` + strings.ReplaceAll(oneLine(name), "?", `\?`) + `"` }

// slots declares a local variable for each state variable that is read or written.
func (w *page) slots(of dependencies, kind string) {
	for v := range of.reads {
		if of.reads[v] || of.may[v] {
			w.lines(fmt.Sprintf("  %s %s = s[%d];", kind, w.variables[v], v))
		}
	}
}

// pins writes statements on local variables; what is assigned is marked as changed.
func (w *page) pins(p *program.Program, list []program.Stmt, depth int) {
	for i := range list {
		s := &list[i]
		w.put(indent(depth))
		if !s.Assigns() {
			w.put("if (")
			w.expr(&s.Cond, depth)
			w.lines(") {")
			w.pins(p, s.Then, depth+1)
			if len(s.Else) > 0 {
				w.lines(indent(depth) + "} else {")
				w.pins(p, s.Else, depth+1)
			}
			w.lines(indent(depth) + "}")
			continue
		}
		v := &p.Variables[s.Var]
		bottom, top, err := p.Bounds(&s.Value)
		inside := err == nil && bottom >= 0 && top < v.Values
		w.put(w.variables[s.Var], " = ")
		if !inside {
			w.put("in(")
		}
		w.expr(&s.Value, depth)
		if !inside {
			w.put(fmt.Sprintf(", %d, %s)", v.Values, cString(v.Name)))
		}
		w.lines(fmt.Sprintf("; same[%d] = 0;", s.Var))
	}
}

// pinsModel writes the tables of the model and the function that LTSmin calls.
func (w *page) pinsModel(p *program.Program, groups, labels []dependencies) {
	w.lines("", fmt.Sprintf("enum { VARIABLES = %d, RULES = %d, INVARIANTS = %d };",
		len(p.Variables), len(p.Rules), len(p.Invariants)), "")
	table := func(kind, declarator string, n int, entry func(int) string) {
		w.put("static ", kind, declarator, " = {")
		for i := range n {
			w.put(entry(i), ", ")
		}
		w.lines("0};") // C has no empty lists
	}
	table("int ", "initial[]", len(p.Variables), func(i int) string { return fmt.Sprint(p.Variables[i].Initial) })
	table("const char *const ", "variable_names[]", len(p.Variables),
		func(i int) string { return cString(w.variables[i]) })
	var actions []string // rules of one name are one action; LTSmin's tables accept each text once
	number := map[string]int{}
	table("int ", "actions[]", len(p.Rules), func(i int) string {
		name := cString(p.Rules[i].Name)
		if _, has := number[name]; !has {
			number[name] = len(actions)
			actions = append(actions, name)
		}
		return fmt.Sprint(number[name])
	})
	table("const char *const ", "action_names[]", len(actions), func(i int) string { return actions[i] })
	ids := newIdentifiers(strings.Join(w.variables, " "))
	table("const char *const ", "invariant_names[]", len(p.Invariants),
		func(i int) string { return cString(ids.identifier("invariant", p.Invariants[i].Name)) })
	matrix := func(name string, rows []dependencies, set func(dependencies) []bool) {
		w.lines("", "/* pairs of a row and a variable */")
		w.put("static const int ", name, "[][2] = {")
		for i, of := range rows {
			for v, is := range set(of) {
				if is {
					w.put(fmt.Sprintf("{%d,%d}, ", i, v))
				}
			}
		}
		w.lines("{-1,-1}};")
	}
	matrix("reads", groups, func(of dependencies) []bool { return of.reads })
	matrix("may_write", groups, func(of dependencies) []bool { return of.may })
	matrix("must_write", groups, func(of dependencies) []bool { return of.must })
	matrix("label_reads", labels, func(of dependencies) []bool { return of.reads })
	w.lines("")
	table("int (*const ",
		"rules[])(const int *, int *, int *)", len(p.Rules), func(i int) string { return fmt.Sprintf("rule_%d", i) })
	table("int (*const ",
		"invariants[])(const int *)", len(p.Invariants), func(i int) string { return fmt.Sprintf("invariant_%d", i) })
	w.lines(pinsInit)
}

// pinsInit is the same for every model.
const pinsInit = `
static int next_state(model_t model, int group, int *source, TransitionCB found, void *context) {
  int d[VARIABLES + 1], same[VARIABLES + 1], label = actions[group];
  transition_info_t info = GB_TI(&label, group);
  memcpy(d, source, sizeof(int) * VARIABLES);
  for (int v = 0; v < VARIABLES; v++) same[v] = 1;
  if (!rules[group](source, d, same)) return 0;
  found(context, &info, d, same);
  (void)model;
  return 1;
}

static int state_label(model_t model, int label, int *state) {
  (void)model;
  return invariants[label](state);
}

static matrix_t *matrix(int rows, const int pairs[][2]) {
  static matrix_t all[5];
  static int used;
  matrix_t *m = &all[used++];
  dm_create(m, rows, VARIABLES);
  for (; (*pairs)[0] >= 0; pairs++) dm_set(m, (*pairs)[0], (*pairs)[1]);
  return m;
}

void pins_model_init(model_t model) {
  lts_type_t type = lts_type_create();
  int number = lts_type_put_type(type, "number", LTStypeDirect, NULL);
  int rule = lts_type_put_type(type, "rule", LTStypeEnum, NULL);
  int truth = lts_type_put_type(type, "truth", LTStypeBool, NULL);
  lts_type_set_state_length(type, VARIABLES);
  for (int v = 0; v < VARIABLES; v++) {
    lts_type_set_state_name(type, v, variable_names[v]);
    lts_type_set_state_typeno(type, v, number);
  }
  lts_type_set_edge_label_count(type, 1);
  lts_type_set_edge_label_name(type, 0, "rule");
  lts_type_set_edge_label_type(type, 0, "rule");
  lts_type_set_edge_label_typeno(type, 0, rule);
  lts_type_set_state_label_count(type, INVARIANTS);
  for (int i = 0; i < INVARIANTS; i++) {
    lts_type_set_state_label_name(type, i, invariant_names[i]);
    lts_type_set_state_label_typeno(type, i, truth);
  }
  lts_type_validate(type);
  GBsetLTStype(model, type);
  for (int a = 0; action_names[a]; a++) pins_chunk_put_at(model, rule, chunk_str(action_names[a]), a);
  GBsetInitialState(model, initial);
  GBsetNextStateLong(model, next_state);
  GBsetStateLabelLong(model, state_label);
  matrix_t *both = matrix(RULES, reads);
  for (int i = 0; may_write[i][0] >= 0; i++) dm_set(both, may_write[i][0], may_write[i][1]);
  GBsetDMInfo(model, both);
  GBsetDMInfoRead(model, matrix(RULES, reads));
  GBsetDMInfoMayWrite(model, matrix(RULES, may_write));
  GBsetDMInfoMustWrite(model, matrix(RULES, must_write));
  GBsetStateLabelInfo(model, matrix(INVARIANTS, label_reads));
}`
