package prompt_test

import (
	"testing"

	"github.com/seed-105a2da2/unknot/spec/support/prompt"
)

// TestAbove: prompts of shells and switches are recognised, first lines of files that are read are not.
func TestAbove(t *testing.T) {
	for _, c := range []struct {
		first string
		want  bool
	}{
		{"$ cat routes.csv", true},
		{"me@host:~$ cat routes.csv", true},
		{"root@sm-1:/var/log# dump_lfts.sh", true},
		{"[root@sm log]# ibroute 2", true},
		{"leaf0# show ip route", true},
		{"leaf0> show route", true},
		{"leaf0(config)# show ip route", true},
		{"\ufeff\n$ cat routes.csv", true},

		{"# a comment", false},
		{"#", false},
		{"% a comment of another program", false},
		{"$", false},
		{"from,to,vcs", false},
		{"router 0 router 1", false},
		{"<graphml>", false},
		{"{ CA-SM Ports:01", false},
		{"Unicast lids [0-12] of switch Lid 2 guid 0x0000000000200000 ('S0'):", false},
		{"vendid=0x119f", false},
		{"(0,0)->(1,0)", false},
		{"me@host,other", false},
		{"", false},
	} {
		below, ok := prompt.Above([]byte(c.first + "\nrest\n"))
		if ok != c.want || ok && string(below) != "rest\n" {
			t.Errorf("%q: %t and %q below, want %t", c.first, ok, below, c.want)
		}
	}
	if _, ok := prompt.Above([]byte("$ cat routes.csv")); ok {
		t.Error("a line alone is a prompt, though nothing is below it")
	}
}
