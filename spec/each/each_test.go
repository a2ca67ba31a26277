package each_test

import (
	"context"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/each"
)

// TestEachPanics: a panic of a worker reaches the caller, who may recover it.
func TestEachPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "broken" {
			t.Errorf("recovered %v, want broken", v)
		}
	}()
	err := each.Do(context.Background(), 2, 3, func(_, i int) error {
		if i == 1 {
			panic("broken")
		}
		return nil
	})
	t.Errorf("returned %v", err)
}
