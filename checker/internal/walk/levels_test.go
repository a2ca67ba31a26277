package walk

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuse is a context that ends when it is looked at for the nth time.
type fuse struct {
	context.Context
	left int
}

func (l *fuse) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestFirstLevels: in a tree, each state of which has three successors, level n has 3^n states.
func TestFirstLevels(t *testing.T) {
	const far, never = 1 << 30, 1 << 30
	undefined := errors.New("undefined")
	for _, tt := range []struct {
		what  string
		most  Most
		depth int // of the tree
		looks int
		upTo  []int
		ended bool
		err   error
		steps int // at most: 3 a state expanded
	}{
		{"all of it", Most{far, far, far}, 2, never, []int{1, 4, 13}, true, nil, 12},
		{"two levels", Most{far, 2, far}, 5, never, []int{1, 4}, false, nil, 12},
		{"ten states", Most{10, far, far}, 5, never, []int{1, 4}, false, nil, 12},
		{"ten steps, which end in the third state of the second level", Most{far, far, 10}, 5, never, []int{1, 4}, true, nil, 12},
		{"twelve steps, all of the first two levels", Most{far, far, 12}, 5, never, []int{1, 4, 13}, true, nil, 15},
		{"a step that is not defined", Most{far, far, far}, 9, never, []int{1, 4, 13, 40, 121, 364}, true, nil, 363},
		{"a context that has ended", Most{far, far, far}, 5, 0, []int{1}, false, context.Canceled, 0},
		{"one that ends after three states", Most{far, far, far}, 5, 3, []int{1, 4}, false, context.Canceled, 9},
	} {
		made := 0
		successors := func(dst, s []uint64) ([]uint64, error) {
			switch depth := s[0] >> 32; {
			case depth == uint64(tt.depth):
				return dst, nil
			case depth == 5:
				return dst, undefined
			}
			for i := range uint64(3) {
				dst = append(dst, (s[0]>>32+1)<<32|s[0]<<2&(1<<32-1)|i)
				made++
			}
			return dst, nil
		}
		ctx := &fuse{t.Context(), tt.looks}
		upTo, ended, err := FirstLevels(ctx, []uint64{0, 0}, 1, tt.most, successors)
		if diff := cmp.Diff(tt.upTo, upTo); diff != "" || ended != tt.ended || !errors.Is(err, tt.err) || made > tt.steps {
			t.Errorf("%s: ended %v, error %v, %d steps made; want %v, %v, at most %d; levels (-want +got):\n%s",
				tt.what, ended, err, made, tt.ended, tt.err, tt.steps, diff)
		}
	}
}

// TestSpread: some states, each once, from the first on, at even distances; all, if there are no more.
func TestSpread(t *testing.T) {
	var all []uint64
	for k := range uint64(10) {
		all = append(all, k, 100+k)
	}
	for most, want := range map[int][]uint64{1: {0, 100}, 3: {0, 100, 3, 103, 6, 106}, 4: {0, 100, 2, 102, 5, 105, 7, 107}, 10: all, 11: all} {
		if diff := cmp.Diff(want, Spread(all, 2, most)); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", most, diff)
		}
	}
}
