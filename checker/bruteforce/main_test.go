package bruteforce

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/fixedseed"
)

func TestMain(m *testing.M) { fixedseed.Main(m) }
