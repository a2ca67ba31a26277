package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"
)

// TestHelpFitsTheTerminal: what the program writes to a terminal, through the writer that counts its faults, is folded at
// the terminal's width: pages of the guide, and the help of commands.
func TestHelpFitsTheTerminal(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer tty.Close()
	for _, columns := range []uint16{50, 80, 200} {
		size := [4]uint16{24, columns}
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
			t.Skip(errno)
		}
		w := &output{Writer: tty}
		if got := columnsOf(w); got != int(columns) {
			t.Fatalf("%d columns, want %d", got, columns)
		}
		most := min(int(columns), width)
		if got := widthOf(w); got != most {
			t.Errorf("help is %d wide on %d columns, want %d", got, columns, most)
		}
	}
}

// TestHelpText: paragraphs and the rows of a list are folded, and no word is lost.
func TestHelpText(t *testing.T) {
	const text = "Graph writes one of\nthese.\n\n  topology  nodes and links of the network, and nothing else\n  cdg       short\n"
	want := "Graph writes one of these.\n\n  topology  nodes and links of\n            the network, and\n            nothing else\n  cdg       short\n"
	if got := helpText(text, 30); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, c := range []string{"check", "sweep", "graph", "simulate"} {
		_, long, _ := unknot(t, "help", c)
		long, _, _ = strings.Cut(long, "\nUsage:\n")
		got := helpText(long, 50)
		if a, b := strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(long), " "); a != b {
			t.Errorf("%s: %s\nof\n%s", c, a, b)
		}
		for line := range strings.Lines(got) {
			if utf8.RuneCountInString(strings.TrimSpace(line)) > 50 {
				t.Errorf("%s: %s", c, line)
			}
		}
	}
}
