package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-105a2da2/unknot/spec"
)

// roomy is ringOfTwo in version 2, with buffers of two; a packet needs room for both to enter channel 0.
var roomy = strings.NewReplacer("network-1", "network-2", "[-1,0],\n[0,0],\n[1,0]]", "[[-1,0,1]],\n[[0,0,2]],\n[[1,0,1]]]",
	`"buffer":1`, `"buffer":2`, "\"selection\":\"\",\n", "\"selection\":\"\",\n\"room\":2,\n").Replace(ringOfTwo)

// TestRoom: the closed form says which hops need room for several packets, and the step keeps a packet out while there is
// less, by its own reason. A trace does not name the room.
func TestRoom(t *testing.T) {
	n, err := readClosed(roomy)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(roomy, closedText(t, n)); diff != "" || n.Room() != 2 {
		t.Errorf("room %d; (-want +got):\n%s", n.Room(), diff)
	}
	traffic, err := n.Traffic(spec.Scenario{})
	if err != nil {
		t.Fatal(err)
	}
	into := func(from spec.NodeID, c spec.ChannelID, room uint16) spec.Move {
		return spec.Move{
			From: spec.Injection(from), Header: spec.Header{Dest: 1 - from}, Hop: spec.Hop{Channel: c, Room: room},
		}
	}
	s := traffic.Empty()
	for _, tt := range []struct {
		move spec.Move
		want string
	}{
		{into(0, 0, 2), "does not permit"}, {into(0, 0, 0), ""}, {into(0, 0, 0), "has not the room for 2 packets"},
		{into(1, 1, 0), ""}, {into(1, 1, 0), ""}, {into(1, 1, 0), "is full"},
	} {
		after, err := traffic.Step(s, tt.move)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.move, err, tt.want)
		}
		if err == nil {
			s = after
		}
	}
	if got := traffic.Moves(nil, &s, func(spec.Flow) bool { return true }); len(got) != 2 {
		t.Errorf("moves %v, want one ejection from each channel alone", got)
	}
}

// TestWrongRooms: a room that does not fit, or that says nothing, is refused, and so is one of version 1.
func TestWrongRooms(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{`"buffer":2`, `"buffer":1`, "hop with room for 2 packets: a channel holds 1 (buffer)"},
		{`"switching":"store-and-forward"`, `"switching":"wormhole"`, "a room counts whole packets"},
		{"network-2", "network-1", "room in version 1"},
		{`"room":2`, `"room":1`, "want 2 to"},
		{"[[0,0,2]]", "[[0,0,3]]", "want 1 to 2"},
		{"[[0,0,2]]", "[[0,0,0]]", "want 1 to 2"},
		{"[[0,0,2]]", "[[0,0]]", "3"},
		{"[[-1,0,1]]", "[[-1,0,2]]", "out of the network with room for 2"},
		{"[[0,0,2]]", "[[0,0,1,0,0,2]]", "ascending by channel and tag, each once"},
	} {
		text := strings.Replace(roomy, tt.old, tt.now, 1)
		if text == roomy {
			t.Fatalf("%q is not in the text", tt.old)
		}
		if _, err := readClosed(text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.now, err, tt.want)
		}
	}
	if got := spec.Distinct([]spec.Hop{{Channel: 1, Room: 2}, {Channel: 1, Room: 1}, {Channel: 0, Room: 3}}); !cmp.Equal(got,
		[]spec.Hop{{Channel: 0, Room: 3}, {Channel: 1}}) {
		t.Errorf("distinct hops %v, want that with the least room of those that lead alike", got)
	}
}
