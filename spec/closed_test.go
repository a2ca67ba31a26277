package spec_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/routing"
	"github.com/seed-105a2da2/unknot/spec/routing/routingtest"
	"github.com/seed-105a2da2/unknot/spec/support/costtest"
)

func closedText(t testing.TB, n *spec.Network) string {
	t.Helper()
	var b bytes.Buffer
	if err := spec.WriteClosed(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readClosed(text string) (*spec.Network, error) {
	return spec.ReadClosed(context.Background(), "net.json", []byte(text))
}

// The closed form of a one-way ring of two nodes, written by hand from the
// documentation: two links, one channel each, and for each destination one source and
// one site, the channel that ends there. The rows, in order: eject, into channel 0,
// into channel 1.
const ringOfTwo = `{"format":"unknot-network-1",
"name":"ring",
"switching":"store-and-forward","buffer":1,"tags":1,"selection":"",
"classes":[""],
"vcs":[],
"nodes":[
{"name":"0","at":[]},
{"name":"1","at":[]}],
"links":[
{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},
{"from":1,"to":0,"vcs":1,"out":"","in":"","dim":0}],
"rows":[
[-1,0],
[0,0],
[1,0]],
"tables":[
{"dest":0,"class":0,"sources":[1,2],"sites":[1,0,0]},
{"dest":1,"class":0,"sources":[0,1],"sites":[0,0,0]}]}
`

func TestWriteClosed(t *testing.T) {
	if diff := cmp.Diff(ringOfTwo, closedText(t, routingtest.Compile(t, routingtest.OneWayRing(2, 1)))); diff != "" {
		t.Errorf("closed form (-want +got):\n%s", diff)
	}
}

// TestTablesAsOneLineEach: however tables are divided among workers, the text has a
// line for each, in order, as fmt writes it: for a ring with some hundred long tables,
// and for one with many that hold a site or two.
func TestTablesAsOneLineEach(t *testing.T) {
	long := routingtest.OneWayRing(150, 1)
	short := routingtest.OneWayRing(50, 1)
	for c := range 100 {
		short.Classes = append(short.Classes, strconv.Itoa(c))
	}
	short.Senders = func(dst []spec.NodeID, to spec.Target) []spec.NodeID {
		return append(dst, (to.Dest+49-spec.NodeID(to.Class)%2)%50)
	}
	for _, def := range []routing.Definition{long, short} {
		n := routingtest.Compile(t, def)
		var want []string
		for i := range n.Tables() {
			table := n.Table(i)
			var sources, sites []string
			for _, s := range table.Sources {
				sources = append(sources, fmt.Sprintf("%d,%d", s.Node, s.Row))
			}
			for j, c := range table.Channels {
				sites = append(sites, fmt.Sprintf("%d,%d,%d", c, table.Tag(j), table.Rows[j]))
			}
			want = append(want, fmt.Sprintf(`{"dest":%d,"class":%d,"sources":[%s],"sites":[%s]}`, table.Dest,
				table.Class, strings.Join(sources, ","), strings.Join(sites, ",")))
		}
		_, got, _ := strings.Cut(closedText(t, n), "\n\"tables\":[\n")
		if diff := cmp.Diff(strings.Join(want, ",\n")+"]}\n", got); diff != "" {
			t.Errorf("%d tables (-want +got):\n%s", n.Tables(), diff)
		}
	}
}

func TestDigestIsTheHashOfTheText(t *testing.T) {
	n := routingtest.Compile(t, routingtest.OneWayRing(5, 2))
	want := spec.Digest(sha256.Sum256([]byte(closedText(t, n))))
	if n.Digest() != want {
		t.Errorf("digest %s, want %s", n.Digest(), want)
	}
}

// TestDigestBesideTheText: the digest of a text of several pieces is its hash, whether one worker writes and
// hashes it or two do, and tables in fragments change nothing; one worker starts no goroutine.
func TestDigestBesideTheText(t *testing.T) {
	def := routingtest.OneWayRing(900, 1)
	want := spec.Digest(sha256.Sum256([]byte(closedText(t, routingtest.Compile(t, def)))))
	for cores := 1; cores <= 2; cores++ {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			for _, least := range []int64{0, 1} {
				n, err := routing.Compile(t.Context(), def, routing.CompileOptions{Fragments: least})
				if err != nil {
					t.Fatal(err)
				}
				runtime.GC() // starts the goroutines that it needs
				before := goroutines()
				if got := n.Digest(); got != want {
					t.Errorf("%d cores, fragments %d: digest %s, want %s", cores, n.Fragments(), got, want)
				}
				if started := goroutines() - before; (cores == 1) != (started == 0) {
					t.Errorf("%d cores: %d goroutines were started", cores, started)
				}
			}
		}()
	}
}

// goroutines returns how many have been started so far.
func goroutines() uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestClosedRoundTrip(t *testing.T) {
	for n := 2; n <= 6; n++ {
		def := routingtest.OneWayRing(n, 2)
		def.Switching, def.Buffer, def.Tags, def.Classes = spec.Wormhole, 3, 2, []string{"request", "reply"}
		before := routingtest.Compile(t, def)
		after, err := readClosed(closedText(t, before))
		if err != nil {
			t.Fatal(err)
		}
		if before.Digest() != after.Digest() {
			t.Errorf("n=%d: the digest changed from %s to %s", n, before.Digest(), after.Digest())
		}
	}
}

// TestReadClosedForeignText: the order of keys, white space, the order of rows, and
// sites that nobody reaches do not matter to unknot; a reader of evidence reads tables
// as they stand, and refuses those that are not in order.
func TestReadClosedForeignText(t *testing.T) {
	foreign := strings.NewReplacer(
		`"name":"ring",`, ``,
		`"rows":[`, `"name": "ring", "rows": [ [1,0,1,0],`, // an additional row at the front shifts the others
		`"sources":[1,2],"sites":[1,0,0]`, `"sites": [ 0,0,3, 1,0,1 ], "sources":[1,3]`,
		`"sources":[0,1],"sites":[0,0,0]`, `"sources":[0,2],"sites":[0,0,1]`,
	).Replace(ringOfTwo)
	if _, err := readClosed(foreign); err == nil || err.Error() != "net.json:12:25: row 0: hops must be ascending by channel and tag, each once" {
		t.Errorf("as it stands: %v", err)
	}
	n, err := routing.ReadClosed(t.Context(), "net.json", []byte(foreign), routing.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := routingtest.Compile(t, routingtest.OneWayRing(2, 1)).Digest(); n.Digest() != want {
		t.Errorf("digest %s, want %s; closed form\n%s", n.Digest(), want, closedText(t, n))
	}
}

// TestKeysInAnyOrder: values are read when their keys come, or once the values before
// them have been read; the network is the same, and a missing key is reported.
func TestKeysInAnyOrder(t *testing.T) {
	text := strings.Replace(ringOfTwo, `"classes":`,
		`"expect":[{"property":"deadlock-freedom","verdict":"violated","switching":"store-and-forward"}],"classes":`, 1)
	whole, err := readClosed(text)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(values))
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, key := range rapid.Permutation(keys).Draw(t, "keys") {
			parts = append(parts, fmt.Sprintf("%q: %s", key, values[key]))
		}
		missing := rapid.IntRange(0, len(parts)).Draw(t, "missing")
		if missing < len(parts) {
			parts = slices.Delete(parts, missing, missing+1)
		}
		text := "{" + strings.Join(parts, ",\n") + "}"
		n, err := readClosed(text)
		optional := !strings.Contains(text, `"expect": [`)
		if missing < len(keys) && !optional {
			if err == nil || !strings.Contains(err.Error(), "is missing") {
				t.Fatalf("%v, want a key that is missing in\n%s", err, text)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if n.Digest() != whole.Digest() || !optional && !slices.Equal(n.Expect(), whole.Expect()) {
			t.Fatalf("another network:\n%s", text)
		}
	})
}

// wrongTexts are changes to ringOfTwo that must be refused. schema says whether the
// published schema refuses them, too; the rest is beyond a schema.
var wrongTexts = []struct {
	name, old, new string
	schema         bool
	want           string // of the error
}{
	{"format", "network-1", "network-3", true, `net.json:1:11: invalid value "unknot-network-3": want one of ["unknot-network-1" "unknot-network-2"]`},
	{"version 2 with rows of version 1", "network-1", "network-2", true, `net.json:13:2: want "[" here`},
	{"unknown key", `"vcs":[],`, `"vcs":[],"colour":1,`, true, `unknown key "colour"`},
	{"missing key", `"vcs":[],`, ``, true, `net.json:1:1: the key "vcs" is missing`},
	{"double key", `"vcs":[],`, `"vcs":[],"vcs":[],`, false, `key "vcs" stands here twice`},
	{"fraction", `"buffer":1`, `"buffer":1.5`, true, `1.5 is not an integer`},
	{"float", `"buffer":1`, `"buffer":1e3`, false, `1e3 is not an integer`},
	{"negative", `"buffer":1`, `"buffer":-1`, true, `-1 is out of range: want 1 to 1073741824`},
	{"no tags", `"tags":1`, `"tags":0`, true, `0 is out of range`},
	{"switching", "store-and-forward", "circuit", true, `net.json:3:13: invalid value "circuit": want one of`},
	{"no classes", `"classes":[""]`, `"classes":[]`, true, `net.json:1:1: 0 classes: want 1 to 65536`},
	{"VC twice", `"vcs":[]`, `"vcs":["v","w","v"]`, true, `net.json:1:1: duplicate VC name "v"`},
	{"class twice", `"classes":[""]`, `"classes":["",""]`, true, `net.json:1:1: duplicate class name ""`},
	{"node twice", `"name":"1"`, `"name":"0"`, false, `has the name "0", as node 0 has already`},
	{"link nowhere", `"from":0,"to":1`, `"from":0,"to":2`, false, `net.json:10:16: 2 is out of range: want 0 to 1`},
	{"link key", `"dim":0},`, `"dim":0,"speed":1},`, true, `unknown key "speed"`},
	{"hop nowhere", "[0,0],", "[2,0],", false, `net.json:14:2: 2 is out of range: want -1 to 1`},
	{"hop tag", "[0,0],", "[0,1],", false, `net.json:14:4: 1 is out of range: want 0 to 0`},
	{"odd row", "[0,0],", "[0],", false, `net.json:14:3: want rows of 2 numbers`},
	{"two nodes", "[0,0],", "[0,0,1,0],", false, `net.json:12:8: row 1: hops leave different nodes`},
	{"source row", `"sources":[1,2]`, `"sources":[1,3]`, false, `net.json:17:34: 3 is out of range: want 0 to 2`},
	{"source twice", `"sources":[1,2]`, `"sources":[1,2,1,2]`, false, `net.json:17:1: source node 1: sources must be ascending by node, each once`},
	{"source itself", `"sources":[1,2]`, `"sources":[0,2]`, false, `net.json:17:1: a hop leads into 1->0 vc0, which does not leave 0`},
	{"site twice", `"sites":[1,0,0]`, `"sites":[1,0,0,1,0,0]`, false,
		`net.json:17:1: site in channel 1 with tag 0: sites must be ascending by channel and tag, each once`},
	{"site missing", `"sites":[1,0,0]`, `"sites":[]`, false, `net.json:17:1: a hop leads into channel 1 with tag 0, but this table lists no such site`},
	{"site row", `"sites":[1,0,0]`, `"sites":[1,0,9]`, false, `net.json:17:50: 9 is out of range: want 0 to 2`},
	{"wrong node", `"sites":[1,0,0]`, `"sites":[1,0,2]`, false, `does not leave 0`},
	{"table twice", `"dest":1`, `"dest":0`, false, `net.json:18:1: tables must be ascending by node and class, each once`},
	{"truncated", `"sites":[0,0,0]}]}`, `"sites":[0,0`, true, `net.json:19:1: unexpected end of file`},
	{"trailing", `"sites":[0,0,0]}]}`, `"sites":[0,0,0]}]}{}`, true, `text after the end`},
	{"string for number", `"buffer":1`, `"buffer":"1"`, true, `want an integer here`},
	{"number for string", `"name":"ring"`, `"name":3`, true, `net.json:2:8: want a string here`},
	{"number for class", `"classes":[""]`, `"classes":[3]`, true, `want a string here`},
	{"object for list", `"classes":[""]`, `"classes":{}`, true, `want "[" here`},
	{"number for node", `{"name":"0","at":[]}`, `3`, true, `want "{" here`},
	{"object for numbers", `"at":[]`, `"at":{}`, true, `want "[" here`},
	{"string for a coordinate", `"at":[]`, `"at":["1"]`, true, `want an integer here`},
	{"negative site", `"sites":[1,0,0]`, `"sites":[-1,0,0]`, true, `-1 is out of range: want 0 to 1`},
	{"negative tag", "[0,0],", "[0,-1],", false, `-1 is out of range: want 0 to 0`},
	{"node key twice", `{"name":"0",`, `{"name":"0","name":"0",`, false, `key "name" stands here twice`},
	{"node key missing", `{"name":"0",`, `{`, true, `the key "name" is missing`},
	{"no JSON", `"vcs":[]`, `"vcs":[` + "\x00" + `]`, true, `invalid character`},
	{"huge number", `"buffer":1`, `"buffer":99999999999999999999`, true, `99999999999999999999 is out of range: want 1 to `},
	{"huge site", `"sites":[1,0,0]`, `"sites":[99999999999999999999,0,0]`, false, `99999999999999999999 is out of range: want 0 to 1`},
	{"huge negative site", `"sites":[1,0,0]`, `"sites":[-99999999999999999999,0,0]`, true, `-99999999999999999999 is out of range: want 0 to 1`},
}

func TestReadClosedRefuses(t *testing.T) {
	for _, tt := range wrongTexts {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(ringOfTwo, tt.old, tt.new, 1)
			if text == ringOfTwo {
				t.Fatalf("%q does not occur", tt.old)
			}
			_, err := readClosed(text)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want it to contain %q", err, tt.want)
			}
			if _, err := routing.ReadClosed(t.Context(), "net.json", []byte(text), routing.CompileOptions{}); err == nil {
				t.Error("accepted, if it need not be in order")
			}
			var pos *spec.PosError
			var site *routing.SiteError
			if !errors.As(err, &pos) && !errors.As(err, &site) {
				t.Errorf("error %T has no place", err)
			}
		})
	}
}

// TestReadClosedCutShort: a text without its end is refused wherever it is cut, and the
// place reported is where it ends.
func TestReadClosedCutShort(t *testing.T) {
	text := strings.TrimRight(ringOfTwo, "\n")
	for i := range text {
		pos, lines := new(spec.PosError), strings.Split(text[:i], "\n")
		end := 1 + len(lines[len(lines)-1])
		_, err := readClosed(text[:i])
		if !errors.As(err, &pos) || pos.Line != len(lines) || pos.Col != end && (pos.Col != end-1 || text[i-1] != '-') { // a number ends there, or begins
			t.Errorf("cut at %d: %v, want an error at %d:%d", i, err, len(lines), end)
		}
	}
}

// TestReadClosedEnds: reading ends with its context, and the cause is passed on.
func TestReadClosedEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := spec.ReadClosed(ctx, "net.json", []byte(ringOfTwo)); !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}

// TestReasonIsThePlace: the reason for a hop of a network from a file is its target's
// table.
func TestReasonIsThePlace(t *testing.T) {
	n, err := readClosed(ringOfTwo)
	if err != nil {
		t.Fatal(err)
	}
	at := func(dest spec.NodeID) string {
		return n.Reason(spec.Site{Channel: 0, Header: spec.Header{Dest: dest}}, spec.Hop{}).Text
	}
	if at(1) != "net.json:18:1" || at(7) != "" {
		t.Errorf("%q and %q, want net.json:18:1 and nothing", at(1), at(7))
	}
}

func TestParseDigestRefuses(t *testing.T) {
	good := strings.Repeat("0a", 32)
	if d, err := spec.ParseDigest(good); err != nil || d.String() != good {
		t.Errorf("%s, %v", d, err)
	}
	for _, wrong := range []string{"", good[1:], good[2:], good + "00", strings.ToUpper(good), strings.Repeat("0g", 32)} {
		if d, err := spec.ParseDigest(wrong); err == nil {
			t.Errorf("%q is read as %s", wrong, d)
		}
	}
}

// TestSchema holds the published schema against an independent implementation
// of JSON Schema.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("network.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	if err := valid(closedText(t, routingtest.Compile(t, routingtest.OneWayRing(4, 2)))); err != nil {
		t.Errorf("our own text: %v", err)
	}
	for _, tt := range wrongTexts {
		if !tt.schema {
			continue
		}
		if valid(strings.Replace(ringOfTwo, tt.old, tt.new, 1)) == nil {
			t.Errorf("%s: the schema accepts what the reader refuses", tt.name)
		}
	}
}

func FuzzReadClosed(f *testing.F) {
	f.Add(ringOfTwo)
	for _, tt := range wrongTexts {
		f.Add(strings.Replace(ringOfTwo, tt.old, tt.new, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n *spec.Network
		var err error
		costtest.Within(t, len(text), func() {
			n, err = routing.ReadClosed(context.Background(), "net.json", []byte(text), routing.CompileOptions{MaxSites: 10000, Workers: 1})
		})
		if err != nil {
			return
		}
		again, err := readClosed(closedText(t, n))
		if err != nil {
			t.Fatalf("our own text was refused: %v", err)
		}
		if again.Digest() != n.Digest() {
			t.Fatal("reading and writing changed the digest")
		}
	})
}

func TestNumbersInDecimal(t *testing.T) {
	def := routingtest.OneWayRing(2, 1)
	for _, at := range []int{-1, 0, 7, 10, 99, 100, 999, 1000, 9999, 10000, 99999, 100000, 1234567} {
		topo := spec.NewTopology()
		topo.AddNode("", at)
		def.Topology = topo
		if want := fmt.Sprintf(`"at":[%d]`, at); !strings.Contains(closedText(t, routingtest.Compile(t, def)), want) {
			t.Errorf("%s does not occur", want)
		}
	}
}

// TestExpectations: expectations are written and read back, are not part of the digest,
// and are checked.
func TestExpectations(t *testing.T) {
	plain, err := readClosed(ringOfTwo)
	if err != nil {
		t.Fatal(err)
	}
	def := routing.FromNetwork(plain)
	def.Expect = []spec.Expectation{{Property: spec.DeadlockFreedom, Verdict: spec.Violated, Switching: spec.Wormhole},
		{Property: spec.Delivery, Verdict: spec.Unknown}}
	n := routingtest.Compile(t, def)
	if n.Digest() != plain.Digest() {
		t.Error("the digest depends on what is expected")
	}
	var b bytes.Buffer
	if err := spec.WriteClosed(&b, n); err != nil {
		t.Fatal(err)
	}
	again, err := spec.ReadClosed(t.Context(), "n.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(def.Expect, again.Expect()); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	// Version 1 may name properties by their faults, as it did before the first release.
	former := strings.ReplaceAll(b.String(), `"property":"deadlock-freedom"`, `"property":"dead`+`lock"`)
	if again, err := spec.ReadClosed(t.Context(), "n.json", []byte(former)); err != nil || !slices.Equal(again.Expect(), def.Expect) {
		t.Errorf("with the former name: %v", err)
	}
	for from, to := range map[string]string{
		`"verdict":"violated"`: `"verdict":"perhaps"`, `"property":"deadlock-freedom"`: `"property":"speed"`, `"switching":"wormhole"`: `"switching":"wh"`,
		`"property":"delivery","verdict":"unknown","switching":"store-and-forward"`: `"property":"deadlock-freedom","verdict":"holds","switching":"wormhole"`,
	} {
		wrong := strings.Replace(b.String(), from, to, 1)
		if _, err := spec.ReadClosed(t.Context(), "n.json", []byte(wrong)); err == nil || wrong == b.String() {
			t.Errorf("%s is accepted", to)
		}
	}
}
