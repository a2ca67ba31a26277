package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMeasure: engines that print counts are measured, those that cannot be prepared or print none have
// the reason in their row. The first two are unknot: another number than is known ends it all, as do
// other transitions of an engine that counts them. Of the others a wrong number of states is only noted, and
// what interrupts it is named.
func TestMeasure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a shell")
	}
	s := subjects()[0]
	counts, steps := regexp.MustCompile(`(\d+) states`), regexp.MustCompile(`(\d+) steps`)
	said := func(text string) engine {
		return engine{name: text, states: counts, steps: steps, prepare: func(context.Context, *bench) ([]string, error) {
			return []string{"sh", "-c", "echo " + text}, nil
		}}
	}
	right := fmt.Sprintf("%d states %d steps", s.states, s.transitions)
	uncounted := said(fmt.Sprintf("%d states", s.states))
	uncounted.steps = nil
	absent := engine{name: "absent", prepare: func(context.Context, *bench) ([]string, error) { return nil, errors.New("is not there\nat all") }}
	others := []engine{said(right), said(right), uncounted, absent, said("hello"), said(fmt.Sprintf("%d states %d steps", s.states-1, s.transitions))}
	measured, err := measure(t.Context(), s, others, t.TempDir(), 2, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		missing string
		wrong   int64
	}{{}, {}, {}, {missing: "is not there"}, {missing: "hello printed no counts"}, {wrong: s.states - 1}} {
		o := measured.outcomes[i]
		if !strings.HasPrefix(o.missing, want.missing) || (o.missing == "") != (want.missing == "") ||
			o.wrong != want.wrong || (o.wall > 0) != (want.missing == "") {
			t.Errorf("%s: %+v, want %+v", others[i].name, o, want)
		}
	}
	for want, all := range map[string][]engine{
		"unknot does not run: is not there":      {absent, said(right)},
		"unknot did not run: hello printed":      {said("hello"), said(right)},
		"5 states 6 steps counts 5 states and 6": {said("5 states 6 steps")},
		"5 states 7 steps counts 5 states and 7": {said(right), said("5 states 7 steps")},
		" states 1 steps counts ":                {said(right), said(right), said(fmt.Sprintf("%d states 1 steps", s.states))},
	} {
		if _, err := measure(t.Context(), s, all, t.TempDir(), 1, time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("Ctrl-C")
	interrupting := engine{name: "interrupting", states: counts, prepare: func(context.Context, *bench) ([]string, error) {
		cancel(why)
		return []string{"sh", "-c", "echo " + right}, nil
	}}
	if got, err := measure(ctx, s, []engine{said(right), interrupting}, t.TempDir(), 1, time.Minute); got != nil || !errors.Is(err, why) {
		t.Errorf("interrupted: %v, %v", got, err)
	}
}
