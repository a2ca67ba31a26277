package disk

import (
	"os"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// TestMain explores by itself where TestKilled asks for that.
func TestMain(m *testing.M) {
	if dir := os.Getenv("UNKNOT_EXPLORE_IN"); dir != "" {
		exploreAlone(dir)
		return
	}
	seedtest.Main(m)
}
