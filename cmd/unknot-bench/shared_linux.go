package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// dropShared removes the System V shared memory that a process has made since began: SPIN's
// parallel verifier, if it is killed, leaves gigabytes of it behind.
func dropShared(p *os.Process, began time.Time) {
	if p == nil {
		return // it did not start
	}
	text, _ := os.ReadFile("/proc/sysvipc/shm") // not there: there is none
	for line := range strings.Lines(string(text)) {
		// key, shmid, perms, size, cpid, lpid, nattch, uid, gid, cuid, cgid, atime, dtime, ctime
		f := strings.Fields(line)
		if len(f) < 14 || f[4] != strconv.Itoa(p.Pid) {
			continue
		}
		if made, err := strconv.ParseInt(f[13], 10, 64); err == nil && made >= began.Unix() {
			_ = exec.Command("ipcrm", "-m", f[1]).Run() // without ipcrm it stays
		}
	}
}
