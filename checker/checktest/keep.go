package checktest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/draw"
	"github.com/seed-105a2da2/unknot/checker/write"
	"github.com/seed-105a2da2/unknot/spec"
)

// kept is the folder that keeps what failed, under the names of unknot check --out, so that unknot-verify accepts it.
// An error in writing is reported along with the failure and does not hide it.
type kept struct {
	folder string
	files  []string
	names  write.Names
	errs   []error
}

// keep makes the folder.
func keep(t T, o Options) *kept {
	k := &kept{folder: o.Folder, names: write.Names{}}
	if k.folder == "" {
		name := strings.Map(func(r rune) rune {
			if r == '/' || r == '\\' || r == ':' {
				return '_'
			}
			return r
		}, t.Name())
		a, ok := t.(interface{ ArtifactDir() string })
		f := flag.Lookup("test.artifacts")
		switch {
		case !ok:
			k.folder = filepath.Join("testdata", "unknot", name)
		case f != nil && f.Value.String() == "true":
			k.folder = a.ArtifactDir()
		default: // the artifact folder disappears when the test ends
			var err error
			if k.folder, err = os.MkdirTemp("", "unknot-*"); err != nil {
				k.errs = append(k.errs, err)
				return k
			}
		}
	}
	if err := os.MkdirAll(k.folder, 0o755); err != nil {
		k.errs = append(k.errs, err)
	}
	return k
}

// write writes a file of the folder.
func (k *kept) write(name string, write func(io.Writer) error) {
	file, err := os.Create(filepath.Join(k.folder, name))
	if err == nil {
		err = errors.Join(write(file), file.Close())
	}
	if err != nil {
		k.errs = append(k.errs, fmt.Errorf("keeping %s: %w", name, err))
		return
	}
	k.files = append(k.files, name)
}

// closed writes a closed form, and returns the command that checks it.
func (k *kept) closed(name string, write func(io.Writer) error) string {
	k.write(name, write)
	return "unknot check " + filepath.Join(k.folder, name)
}

// finding keeps the evidence of a finding and, for a deadlock, a drawing.
func (k *kept) finding(f *checker.Finding) {
	if f.Evidence == nil {
		return
	}
	name := k.names.Name(f.Property)
	k.write(name+".unknot", func(w io.Writer) error { return write.Evidence(w, f.Evidence) })
	if g, err := draw.Waits(f.Evidence); err == nil {
		k.write(name+".dot", func(w io.Writer) error { return draw.WriteDOT(w, g) })
	}
}

// text says where everything is and how to reproduce it.
func (k *kept) text(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nin %s: %s", k.folder, strings.Join(k.files, ", "))
	if command != "" {
		fmt.Fprintf(&b, "\nreproduce: %s", command)
	}
	for _, err := range k.errs {
		fmt.Fprintf(&b, "\n%v", err)
	}
	return b.String()
}

// scenarioFlags are the flags of unknot check that run a network in a scenario.
func scenarioFlags(t *spec.Topology, sc spec.Scenario) string {
	flags := []string{"--explore=always"}
	number := func(name string, x int) {
		if x != 0 {
			flags = append(flags, fmt.Sprintf("--%s %d", name, x))
		}
	}
	if sc.Length == spec.AnyLength {
		flags = append(flags, "--length any")
	} else {
		number("length", sc.Length)
	}
	if sc.Elastic {
		flags = append(flags, "--elastic")
	}
	if sc.Shared {
		flags = append(flags, "--shared")
	}
	number("bubble", sc.Bubble)
	number("sink", sc.Sink)
	number("packets", sc.Packets)
	for _, f := range sc.Once {
		flags = append(flags, fmt.Sprintf("--once '%s->%s'", t.Node(f.Source).Name, t.Node(f.Target.Dest).Name))
	}
	return strings.Join(flags, " ")
}
