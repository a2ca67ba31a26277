package checker_test

import (
	"go/types"
	"strings"
	"testing"
)

// textFields are the exported fields of what engines and the checker return that hold text, by what it is. None is a
// sentence: that is a words.Sentence of facts, which package findings words.
var textFields = map[string][]string{
	"the name of a property, network, rule, scheme or unit": {
		"checker.Assumed.Properties", "checker.Finding.Property", "checker.Fired.Rule", "checker.Question.Properties",
		"checker.Result.Name", "checker.Result.Unchecked", "checker.Space.Idle", "checker/internal/reduction.Asked.Invariants",
		"checker/internal/reduction.Slice.Left", "checker/internal/walk.Part.Name", "checker/repair.Proposal.Unit",
		"checker/repair.Protocol.Name",
	},
	"the name of a file or folder": {
		"checker.Question.Disk", "checker.Question.Resume", "checker.Question.Save", "checker/internal/walk.Checkpoint.Resume",
		"checker/internal/walk.Checkpoint.Save",
	},
	"a digest, or a value that is compared":                      {"checker.Space.Digest", "checker/internal/walk.Part.Value"},
	"the name of a way to store states":                          {"checker.Space.Visited", "checker/internal/walk.Result.Visited"},
	"a theorem, as the table of families names it and its sizes": {"checker.Theorem.Family", "checker.Theorem.Sizes"},
	"a place in a fabric, by ports and LIDs": {
		"checker/fabrics.Part.First", "checker/fabrics.Turn.Asks", "checker/fabrics.Turn.Holds", "checker/fabrics.Turn.Why",
	},
}

// engines are the packages whose results become findings. The facts of package findings hold names.
var engines = []string{
	"checker", "checker/change", "checker/repair", "checker/fabrics", "checker/internal/static", "checker/internal/wormhole",
	"checker/internal/explore", "checker/internal/liveness", "checker/internal/walk", "checker/internal/reduction",
	"checker/internal/symmetry", "checker/internal/relation",
}

// textFieldsOf returns the exported fields of exported structs of a package that hold text: strings, or a slice or map of
// them. What an error says is a sentence by its nature.
func textFieldsOf(p *types.Package) (all []string) {
	failure := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for _, name := range p.Scope().Names() {
		tn, is := p.Scope().Lookup(name).(*types.TypeName)
		if !is || !tn.Exported() || types.Implements(types.NewPointer(tn.Type()), failure) {
			continue
		}
		s, is := tn.Type().Underlying().(*types.Struct)
		for i := 0; is && i < s.NumFields(); i++ {
			f := s.Field(i)
			t := f.Type()
			switch of := t.Underlying().(type) {
			case *types.Slice:
				t = of.Elem()
			case *types.Map:
				t = of.Elem()
			}
			if f.Exported() && types.Identical(t, types.Typ[types.String]) {
				all = append(all, name+"."+f.Name())
			}
		}
	}
	return all
}

// TestNoFieldHoldsASentence: a string that an engine returns is a name, a place or a value that is compared. A new field
// that holds text is listed with what it is, or it is a sentence of facts.
func TestNoFieldHoldsASentence(t *testing.T) {
	var paths []string
	for _, p := range engines {
		paths = append(paths, unknot+p)
	}
	listed := map[string]bool{}
	for what, fields := range textFields {
		for _, f := range fields {
			if listed[f] {
				t.Errorf("%s is listed twice, once as %s", f, what)
			}
			listed[f] = true
		}
	}
	packages, seen := exportData(t, paths), map[string]bool{}
	for _, path := range paths {
		for _, f := range textFieldsOf(packages[path]) {
			name := strings.TrimPrefix(path, unknot) + "." + f
			seen[name] = true
			if !listed[name] {
				t.Errorf("%s holds text: if that is a sentence, make it a words.Sentence of facts, else list what it is", name)
			}
		}
	}
	for f := range listed {
		if !seen[f] {
			t.Errorf("there is no text %s", f)
		}
	}
}
