package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// slurmConf is a Slurm of one node, this one, in a folder of the test's own.
const slurmConf = `ClusterName=unknot
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthInfo=socket=%[2]s/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES State=UP
`

// TestSlurm: the script that is shipped, as an array of three jobs on a Slurm of one
// node. Its results, merged, are byte for byte those of one run; a job that is run again
// leaves them alone.
func TestSlurm(t *testing.T) {
	seedtest.InFull(t)
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil || os.Geteuid() != 0 {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s: %v, user %d", program, err, os.Geteuid())
			}
			t.Skipf("needs %s (Debian: slurm-wlm) and root: %v", program, err)
		}
	}
	script, err := filepath.Abs("../../checker/sweep/cluster/sweep.slurm")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	startSlurm(ctx, t)

	args := []string{"ring", "--range", "n=3..6", "--links", "1"}
	sbatch := func(more ...string) {
		t.Helper()
		line := append(append([]string{"--wait"}, more...), append([]string{script}, args...)...)
		if out, err := exec.CommandContext(ctx, "sbatch", line...).CombinedOutput(); err != nil {
			logs, _ := filepath.Glob("slurm-*.out")
			for _, name := range logs {
				text, _ := os.ReadFile(name)
				t.Logf("%s: %s", name, text)
			}
			t.Fatalf("sbatch %v: %v\n%s", line, err, out)
		}
	}
	sbatch("--array=1-3")
	sbatch("--array=1-3")
	// The shipped ring is one-way: it deadlocks, so the sweep exits with 1 and the jobs with 0.
	for _, args := range [][]string{{"--merge", "results", "--out", "merged.jsonl"}, append(args, "--out", "whole.jsonl")} {
		c := exec.CommandContext(ctx, "unknot", append([]string{"sweep"}, args...)...) // results are of one version of the program
		if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != exitViolated || !strings.Contains(string(out), "deadlock freedom violated") {
			t.Fatalf("unknot sweep %v: %v\n%s", args, err, out)
		}
	}
	merged, err1 := os.ReadFile("merged.jsonl")
	whole, err2 := os.ReadFile("whole.jsonl")
	if err1 != nil || err2 != nil || string(merged) != string(whole) {
		t.Errorf("three jobs are not one run: %v, %v\n%s\n%s", err1, err2, merged, whole)
	}
}

// startSlurm starts a Slurm that ends with ctx, and waits until its node is idle.
func startSlurm(ctx context.Context, t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	if err := os.WriteFile(filepath.Join(dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(dir, "slurm.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, slurmConf, host, dir, freePort(t), freePort(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", conf)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"munged", "--foreground", "--force", "--key-file=" + in("key"), "--socket=" + in("munge.sock"),
			"--pid-file=" + in("munged.pid"), "--log-file=" + in("munged.log"), "--seed-file=" + in("seed")},
		{"slurmctld", "-D", "-c"},
		{"slurmd", "-D"},
	} {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		log, err := os.Create(in(args[0] + ".out"))
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout, c.Stderr = log, log
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			log.Close()
			if t.Failed() {
				text, _ := os.ReadFile(log.Name())
				t.Logf("%s says\n%s", args[0], text)
			}
		})
		if args[0] == "munged" {
			for ctx.Err() == nil {
				if _, err := os.Stat(in("munge.sock")); err == nil {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
		}
	}
	for ctx.Err() == nil {
		if out, err := exec.CommandContext(ctx, "sinfo", "--noheader", "--format=%t").CombinedOutput(); err == nil && strings.TrimSpace(string(out)) == "idle" {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatal("Slurm did not start in time")
}

// freePort returns a TCP port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
