package fabrics_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkIbdmchk judges fat trees with k ports a switch as ibdmchk does (Debian package ibutils),
// and measures the CPU seconds of both in one run: ibdmchk looks for credit loops between hosts,
// unknot for deadlocks with the LIDs of switches, too, and for livelock and delivery, evidence
// included. ibdmchk crashes after printing its verdict.
func BenchmarkIbdmchk(b *testing.B) {
	theirs, err := exec.LookPath("ibdmchk")
	if err != nil {
		b.Skip(err)
	}
	for _, k := range []int{8, 16, 24, 34} {
		b.Run(fmt.Sprintf("fat tree %d", k), func(b *testing.B) {
			dir := b.TempDir()
			m := fatTree(k)
			m.write(b, dir)
			multicast := filepath.Join(dir, "none")
			if err := os.WriteFile(multicast, nil, 0o600); err != nil {
				b.Fatal(err)
			}
			var other, own time.Duration
			for b.Loop() {
				c := exec.Command(theirs, "-s", filepath.Join(dir, "opensm-subnet.lst"), "-f", filepath.Join(dir, "opensm.fdbs"), "-m", multicast)
				text, err := c.Output()
				if !bytes.Contains(text, []byte("no credit loops")) {
					b.Fatalf("ibdmchk: %v\n%s", err, text[max(0, len(text)-2000):])
				}
				other += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
				before := cpu(b)
				if got := verdictsOf(b, dir); got["host to host, one VL"] != "deadlock-freedom holds;livelock-freedom holds;delivery holds;" {
					b.Fatal(got)
				}
				own += cpu(b) - before
			}
			b.ReportMetric(other.Seconds()/float64(b.N), "ibdmchk-s/op")
			b.ReportMetric(own.Seconds()/float64(b.N), "unknot-s/op")
			b.ReportMetric(other.Seconds()/own.Seconds(), "times")
			b.ReportMetric(float64(m.hosts), "hosts")
		})
	}
}

// cpu is the CPU time that this process has taken.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
