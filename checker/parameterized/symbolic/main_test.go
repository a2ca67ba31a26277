package symbolic_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

func TestMain(m *testing.M) { seedtest.Main(m) }
