package fabrics_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/fabric"
)

// simulator is Debian's libumad2sim, which leads OpenSM's messages to ibsim.
const simulator = "/usr/lib/*/umad2sim/libumad2sim.so"

// torus is a 4x4 torus with a host at each switch, for ibsim.
func torus() []byte {
	const k = 4
	var b bytes.Buffer
	at := func(x, y int) int { return (x+k)%k*k + (y+k)%k }
	for i := range k * k {
		x, y := i/k, i%k
		fmt.Fprintf(&b,
			"Switch 5 \"S%d\"\n[1] \"S%d\"[2]\n[2] \"S%d\"[1]\n[3] \"S%d\"[4]\n[4] \"S%d\"[3]\n[5] \"H%d\"[1]\n\n", i,
			at(x+1, y), at(x-1, y), at(x, y+1), at(x, y-1), i)
	}
	for i := range k * k {
		fmt.Fprintf(&b, "Hca 1 \"H%d\"\n[1] \"S%d\"[5]\n\n", i, i)
	}
	return b.Bytes()
}

// route has OpenSM route the torus once, and returns the folder of its dumps.
func route(t *testing.T, preload string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	net := filepath.Join(dir, "torus.net")
	if err := os.WriteFile(net, torus(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	socket := fmt.Sprintf("unknot%d-%d", os.Getpid(), time.Now().UnixNano())
	sim := exec.CommandContext(ctx, "ibsim", "-s", net)
	sim.Env = append(os.Environ(), "IBSIM_SOCKNAME="+socket)
	in, err := sim.StdinPipe() // it ends when that does
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		cancel()
		_ = sim.Wait() // killed
	}()
	dumps := filepath.Join(dir, "dumps")
	if err := os.Mkdir(dumps, 0o700); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-o", "-f", filepath.Join(dumps, "opensm.log"), "-D", "0x43", "--dump_files_dir", dumps}, args...)
	for { // ibsim takes a moment to listen
		sm := exec.CommandContext(ctx, "opensm", args...)
		sm.Dir = dir
		sm.Env = append(os.Environ(), "IBSIM_SOCKNAME="+socket, "SIM_HOST=H0", "LD_PRELOAD="+preload)
		out, err := sm.CombinedOutput()
		if fabric.Is(os.DirFS(dumps)) {
			return dumps
		}
		if ctx.Err() != nil {
			t.Fatalf("opensm %s: %v\n%s", strings.Join(args, " "), errors.Join(err, context.Cause(ctx)), out)
		}
		time.Sleep(time.Second)
	}
}

// TestLive: OpenSM routes a simulated 4x4 torus, and the fresh dumps are judged. Minhop takes shortest
// paths regardless of cycles, and closes one in each ring of four; nue, which is designed to avoid them,
// leaves hosts none. The tables of nue are written and loaded back by OpenSM's engine "file", whose
// dumps are those tables. A torus is not a fat tree, so ftree gives up, and the log
// reports it.
func TestLive(t *testing.T) {
	preload, _ := filepath.Glob(simulator)
	for _, program := range []string{"opensm", "ibsim"} {
		if _, err := exec.LookPath(program); err != nil {
			preload = nil
		}
	}
	if len(preload) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no opensm, ibsim or umad2sim: .ci/run installs opensm and ibsim-utils")
		}
		t.Skip("opensm, ibsim or umad2sim is not installed (Debian packages opensm and ibsim-utils)")
	}
	hosts := fabric.Scope{}
	minhop := read(t, os.DirFS(route(t, preload[0], "-R", "ftree")), "ftree")
	if got := judged(t, minhop)[hosts]; got != "yes" {
		t.Errorf("minhop: deadlock %s, want yes", got)
	}
	if minhop.Asked != "ftree" || minhop.Used != "minhop" {
		t.Errorf("asked for %q, used %q: want ftree and minhop", minhop.Asked, minhop.Used)
	}
	nue := read(t, os.DirFS(route(t, preload[0], "-R", "nue")), "nue")
	if got := judged(t, nue)[hosts]; got != "no" || nue.Used != "nue" {
		t.Errorf("nue: deadlock %s, want no", got)
	}
	var tables bytes.Buffer
	if err := nue.WriteTables(&tables); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "lfts")
	if err := os.WriteFile(file, tables.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	back := read(t, os.DirFS(route(t, preload[0], "-R", "file", "-U", file)), "file")
	if got := judged(t, back)[hosts]; got != "no" {
		t.Errorf("the tables of nue, loaded back: deadlock %s, want no", got)
	}
	var again bytes.Buffer
	if err := back.WriteTables(&again); err != nil {
		t.Fatal(err)
	}
	if again.String() != tables.String() {
		t.Error("the tables that were loaded back are others")
	}
}
