package main

// runtime is what the rewritten files of a package call. One environment variable
// names the mutant that is active, another the file that is told what was reached.
const runtime = `package %[1]s

import (
	"cmp"
	"fmt"
	"os"
	"sync"
)

const unknotPackage, unknotPoints = %[2]q, %[3]d

var unknotArmed, unknotMutation, unknotFile = unknotStart() // a condition that is not armed is as it was

var (
	unknotLock sync.Mutex
	unknotSeen [unknotPoints][4]bool // told already
)

func unknotStart() (armed [unknotPoints]bool, mutation string, file *os.File) {
	if name := os.Getenv("UNKNOT_REACHED"); name != "" {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			panic(err)
		}
		for p := range armed {
			armed[p] = true
		}
		return armed, "", file
	}
	var in string
	var p int
	if _, err := fmt.Sscanf(os.Getenv("UNKNOT_MUTANT"), "%%s %%d %%q", &in, &p, &mutation); err == nil && in == unknotPackage {
		armed[p] = true
	}
	return armed, mutation, nil
}

func unknotIf(p int, c bool) bool {
	if unknotArmed[p] {
		return unknotAsk(p, c, false)
	}
	return c
}

func unknotLT[T cmp.Ordered](p int, a, b T) bool {
	if unknotArmed[p] {
		return unknotAsk(p, a < b, a == b)
	}
	return a < b
}

func unknotLE[T cmp.Ordered](p int, a, b T) bool {
	if unknotArmed[p] {
		return unknotAsk(p, a <= b, a == b)
	}
	return a <= b
}

func unknotGT[T cmp.Ordered](p int, a, b T) bool {
	if unknotArmed[p] {
		return unknotAsk(p, a > b, a == b)
	}
	return a > b
}

func unknotGE[T cmp.Ordered](p int, a, b T) bool {
	if unknotArmed[p] {
		return unknotAsk(p, a >= b, a == b)
	}
	return a >= b
}

func unknotMask[T, I any](p int, x I) I {
	if unknotArmed[p] {
		if _, is := any(x).(T); is && unknotAsk(p, true, false) != true {
			var none I
			return none
		}
	}
	return x
}

func unknotAsk(p int, c, equal bool) bool {
	if unknotFile != nil {
		unknotTell(p, c, equal)
		return c
	}
	switch unknotMutation {
	case "negated", "no such type":
		return !c
	case "true":
		return true
	case "false":
		return false
	}
	return c != equal // the other answer at the edge
}

func unknotTell(p int, c, equal bool) {
	what := 0
	if c {
		what = 1
	}
	if equal {
		what += 2
	}
	if unknotSeen[p][what] { // read without the lock: at worst it is told twice
		return
	}
	unknotLock.Lock()
	defer unknotLock.Unlock()
	unknotSeen[p][what] = true
	fmt.Fprintf(unknotFile, "%%s %%d %%d\n", unknotPackage, p, what)
}

var _, _, _, _, _ = unknotIf, unknotLT[int], unknotLE[int], unknotGT[int], unknotGE[int]
`
