package star_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/star"
)

// TestPriorities: in each state exactly those rules are possible, of those that would be without priorities and timeouts,
// before which no other possible one goes.
func TestPriorities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type rule struct {
			on       []bool // by value of x
			priority int
			timeout  bool
		}
		var rules []rule
		var plain, ranked strings.Builder
		for _, b := range []*strings.Builder{&plain, &ranked} {
			b.WriteString("machine(name = \"m\")\nvar(\"x\", range(6))\n")
		}
		for i := range rapid.IntRange(1, 5).Draw(t, "rules") {
			r := rule{rapid.SliceOfN(rapid.Bool(), 6, 6).Draw(t, "on"), rapid.IntRange(-1, 2).Draw(t, "priority"), rapid.Bool().Draw(t, "timeout")}
			rules = append(rules, r)
			on := "["
			for v, is := range r.on {
				if is {
					on += string(rune('0'+v)) + ","
				}
			}
			name := string(rune('a' + i))
			body := "def " + name + "(s):\n    when(s.x in " + on + "])\n    s.x = (s.x + 1) % 6\nrule(\"" + name + "\", " + name
			plain.WriteString(body + ")\n")
			ranked.WriteString(body + ", priority = " + map[int]string{-1: "-1", 0: "0", 1: "1", 2: "2"}[r.priority])
			if r.timeout {
				ranked.WriteString(", timeout = True")
			}
			ranked.WriteString(")\n")
		}
		load := func(text string) *program.Program {
			f, err := star.Load(context.Background(), "m.star", []byte(text), star.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			return f.Program
		}
		p, q := load(plain.String()), load(ranked.String())
		for x := range 6 {
			possible := func(p *program.Program) (names []string) {
				steps, err := programtest.Steps(p, []int{x})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range steps {
					names = append(names, p.Rules[s.Rule].Name)
				}
				return names
			}
			all := possible(p)
			of := func(name string) rule { return rules[name[0]-'a'] }
			want := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return slices.ContainsFunc(all, func(other string) bool {
					a, b := of(other), of(name)
					return !a.timeout && b.timeout || a.timeout == b.timeout && a.priority > b.priority
				})
			})
			if got := possible(q); !slices.Equal(got, want) {
				t.Fatalf("x = %d: %q are possible, want %q of %q\n%s", x, got, want, all, ranked.String())
			}
			for k, r := range q.Rules {
				_, why := star.SourceOf(q).Refusal(k, []int{x})
				if first := strings.HasSuffix(why, " is possible and goes first"); first != (slices.Contains(all, r.Name) && !slices.Contains(want, r.Name)) {
					t.Fatalf("x = %d: %s is refused: %q", x, r.Name, why)
				}
			}
		}
	})
}
