package peach2

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/seed-105a2da2/unknot/spec/program"
	"github.com/seed-105a2da2/unknot/spec/program/programtest"
	"github.com/seed-105a2da2/unknot/spec/support/seedtest"
)

// packetNames are the names of the kinds of packets in sentences.
var packetNames = [...]string{"posted write", "read", "completion"}

// TestHostsOfTwoBoards: as long as the hosts of two boards send, the program has the states
// of the machine written by hand, and in each state the same number of steps plus one, to
// stop. Once they have stopped, some packets stay forever if and only if that machine gets
// stuck.
func TestHostsOfTwoBoards(t *testing.T) {
	for reads := Separate; reads <= InOrder; reads++ {
		for i, tt := range []struct {
			writes bool
			depth  int
		}{{true, 1}, {false, 1}, {false, 2}} {
			if !seedtest.Sampled(i+int(reads), 3) {
				continue
			}
			twin, err := NewTwoBoards(reads, tt.writes, tt.depth)
			if err != nil {
				t.Fatal(err)
			}
			want, stuck := map[string]int{}, false // by state in words: steps
			for _, s := range reachable(t, twin) {
				q := twin.queues([]uint64{s})
				words := ""
				for link := range q {
					for _, kind := range q[link].kinds[:q[link].n] {
						words += packetNames[kind] + " "
					}
					words += "| "
				}
				want[words] = len(twin.events([]uint64{s}))
				stuck = stuck || twin.stuck([]uint64{s})
			}

			p, err := programtest.Of(ReadsEntry().Machine(map[string]string{
				"reads": ReadsNames[reads], "writes": map[bool]string{true: "yes", false: "no"}[tt.writes], "buffer": strconv.Itoa(tt.depth),
			}))
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Machine()
			if err != nil {
				t.Fatal(err)
			}
			// Variables are the places of the four links, in the order of the twin's,
			// then whether the hosts are quiet.
			got, left := map[string]int{}, false
			quiet := slices.IndexFunc(p.Variables, func(x program.Variable) bool { return x.Name == "quiet" })
			fields, perLink := m.Layout().Fields(), quiet/4
			words := m.Layout().Words()
			start := m.Start(nil)
			queue, seen := [][]uint64{start}, map[string]bool{fmt.Sprint(start): true}
			for ; len(queue) > 0; queue = queue[1:] {
				s := queue[0]
				next, err := m.AppendSuccessors(nil, s)
				if err != nil {
					t.Fatal(err)
				}
				if fields[quiet].Of(s) == 1 {
					left = left || len(next) == 0 && !m.Claims().Final(s)
				} else {
					state := ""
					for i, f := range fields[:quiet] {
						if v := f.Of(s); v > 0 {
							name := p.Variables[i].Names[v]
							for kind, prefix := range [...]string{"write", "read", "completion"} {
								if name[:len(prefix)] == prefix {
									state += packetNames[kind] + " "
								}
							}
						}
						if (i+1)%perLink == 0 {
							state += "| "
						}
					}
					got[state] = len(next)/words - 1
				}
				for i := 0; i < len(next); i += words {
					if key := fmt.Sprint(next[i : i+words]); !seen[key] {
						seen[key] = true
						queue = append(queue, slices.Clone(next[i:i+words]))
					}
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: %d states of the program, %d of the machine, or other steps", p.Name, len(got), len(want))
			}
			if left != stuck {
				t.Errorf("%s: packets are left: %t; stuck: %t", p.Name, left, stuck)
			}
		}
	}
}
