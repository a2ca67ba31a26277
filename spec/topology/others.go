package topology

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// other is a format that is known and not read: how to recognise the beginning of a text in it, what it is, and
// what to do instead; FILE stands for the name of the file, JSON for that of another.
type other struct {
	begins        *regexp.Regexp
	what, instead string
}

// syntax tells texts apart by their first character: XML and JSON do not begin as other texts do, and may hold
// anything.
func syntax(head []byte) string {
	switch {
	case len(head) == 0:
		return ""
	case head[0] == '<':
		return "xml"
	case head[0] == '{':
		return "json"
	}
	return "text"
}

const (
	asRows     = "write its links as the rows of a CSV file, with the heading from,to"
	byNetworkX = "in Python, json.dump(networkx.node_link_data(networkx.%s(FILE)), open(JSON, \"w\")) converts it"
	asProtocol = "unknot reads no models of other checkers; a protocol is written in Starlark " +
		"(unknot help protocol-files)"
	asFolder   = "put it into a folder with the forwarding tables and name that (unknot help fabrics)"
	closedForm = "a closed form of unknot"
	inside     = "it describes one host, not a network: " + asRows
)

// others lists the formats by their syntax; the first that matches counts. Comments before it are skipped.
var others = sync.OnceValue(func() map[string][]other {
	all := map[string][]other{}
	adds := func(of string) func(begins, what, instead string) {
		return func(begins, what, instead string) {
			all[of] = append(all[of], other{regexp.MustCompile(begins), what, instead})
		}
	}
	xml, json, text := adds("xml"), adds("json"), adds("text")
	nx := func(read string) string { return fmt.Sprintf(byNetworkX, read) }

	// unknot's own, under another name.
	json(`\A\{\s*"format"\s*:\s*"unknot-(network|program)-`, closedForm, "give its file a name that ends in .json")
	text(`\Aunknot-[a-z-]+ \d`, "evidence", "it follows the network on the command line")
	text(`\A(?s:.*?)(?m:^)(load\(|network\(|machine\(|\w+ = param\()`, "a network or protocol file", "give it a name that ends in .star")

	// Graphs.
	text(`(?i)\A\*(vertices|network)\b`, "a network of Pajek", nx("read_pajek"))
	xml(`\A(<\?xml[^>]*>\s*)?<gexf\b`, "GEXF (Gephi)", nx("read_gexf"))
	text(`\ALEDA\.GRAPH`, "a graph of LEDA", nx("read_leda"))
	text(`\A>>(graph6|sparse6)<<`, "graph6 or sparse6", nx("read_graph6")+", or read_sparse6")
	text(`\A(c\b[^\n]*\n)*p (edge|col|sp|max|asn|min) \d+ \d+`, "a graph of DIMACS", asRows)
	json(`\A\{\s*(?s:.*?)"elements"\s*:\s*\{\s*"(nodes|edges)"`, "JSON of Cytoscape", nx("cytoscape_graph"))
	json(`\A\{(?s:.*?)"adjacency"\s*:\s*\[`, "adjacency data of NetworkX", nx("adjacency_graph"))
	json(`\A\{\s*"graphs?"\s*:\s*\[?\s*\{\s*("[a-z]+"\s*:\s*("[^"]*"|true|false)\s*,\s*)*"(nodes|edges)"`,
		"JSON Graph Format", asRows)

	// Networks of simulators, and of managers.
	json(`\A\{(?s:.*?)"switches"\s*:(?s:.*?)"outports"`, "a topology of SST/macro", asRows)
	text(`\A(?s:.*?)(?m:^)routers:(?s:.*?)(?m:^)connections:`, "a network of FlooGen", asRows)
	text(`\A(?s:.*?)(?m:^)\s*(mesh_descriptors|device_topology)\s*\{`, "a mesh graph descriptor", asRows)
	text(`\A(?s:.*?)(?m:^)\s*routing_function\s*=\s*\w+\s*;`, "a configuration of BookSim",
		"it has a routing function and is a network of its own, which unknot check takes (unknot help topologies)")
	text(`\A(%[^\n]*\n\s*)*\d+ +\d+->\d+ +\d+ +\d+->\d+`, "a routing table of Noxim",
		"it has routes and no topology: a network file can read it with table(...) (unknot help topologies)")
	text(`(?i)\A(?s:.*?)(?m:^)\s*SwitchName=`, "a topology of Slurm", asRows+
		", from SwitchName to each of Switches and Nodes")
	xml(`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<platform\b`, "a platform of SimGrid", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<network\b[^>]*sndlib`, "a network of SNDlib", asRows)
	text(`\A\?SNDlib native format`, "a network of SNDlib", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<architecture\b`, "an architecture of VPR", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?<Snapshot\b`, "a snapshot of an Omni-Path fabric", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE topology SYSTEM "hwloc[^>]*>\s*)<topology\b`, "a topology of hwloc", inside)
	xml(`\A(<\?xml[^>]*>\s*)?<system\b[^>]*>\s*<cpu\b`, "a topology of NCCL", inside)
	text(`\A(?s:.*?)(?m:^)(vendid=0x|switchguid=0x)`, "the output of ibnetdiscover", asFolder)
	text(`\A(Unicast lids|dump_ucast_routes: Switch|Switch 0x[0-9a-f]+, base LID)`, "a dump of a subnet manager", asFolder)
	json(`\A\{ (SW|CA)\b`, "a dump of a subnet manager", asFolder)

	// Models of other checkers.
	xml(`\A(<\?xml[^>]*>\s*)?<pnml\b`, "a Petri net (PNML)", asProtocol)
	xml(`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?<nta\b`, "a model of UPPAAL", asProtocol)
	text(`\Aai?ag? \d+ \d+ \d+ \d+ \d+`, "a circuit (AIGER)", asProtocol)
	text(`\A\d+ sort (bitvec|array)\b`, "a model in BTOR2", asProtocol)
	text(`\Ades *\( *\d+ *, *\d+ *, *\d+ *\)`, "an automaton of Aldebaran (CADP)", asProtocol)
	text(`\Abegin (state|edge|init|sort)\b`, "a transition system of LTSmin (ETF)", asProtocol)
	text(`\AHOA:`, "an automaton (HOA)", asProtocol)
	text(`\A(?s:.*?)(?m:^)\s*MODULE\s+\w+`, "a model of nuXmv", asProtocol)
	text(`\A-{4,} ?MODULE \w+`, "a module in TLA+", asProtocol)
	text(`\A(?s:.*?)(?m:^)\s*((active\s*(\[\w+\])?\s+)?proctype\s+\w+|mtype\b[^\n]*=|init\s*\{)`,
		"a model in Promela", asProtocol)
	text(`\A(?s:.*?)(?m:^)\s*process\s+\w+\s*\{`, "a model in DVE", asProtocol)
	text(`(?i)\A(?s:.*?)(?m:^)\s*(startstate|ruleset)\b`, "a model in Murphi",
		"unknot check reads it, in a file whose name ends in .m")
	text(`\A(?s:.*?)(?m:^)(act|proc|init|sort|glob)\s+[^\n]*;`, "a specification in mCRL2", asProtocol)
	text(`\A(?s:.*?)(?m:^)(dtmc|ctmc|mdp|pta|pomdp)\s*(?m:$)`, "a model of PRISM", asProtocol)
	text(`\A(?s:.*?)(?m:^)((atomic|oneof|serial|parallel|fair)\s+)*action\s+\w+:`, "a model of FizzBee", asProtocol)
	text(`\A(?s:.*?)(?m:^)module\s+\w+\s*(\([^)]*\)\s*)?(with\b[^\n]*)?is\s*(?m:$)`,
		"a model in LNT (CADP)", asProtocol)
	return all
})

// Other names the format of a text that is known and not read, and says what to do instead; "" if it is none. It looks
// only at the beginning. file is the name of the file, for the advice.
func Other(file string, text []byte) (what, instead string) {
	head := headOf(text)
	bare := withoutComments(head)
	for _, o := range others()[syntax(bare)] {
		// The reader of closed forms says itself what is wrong with one.
		if o.begins.Match(bare) && !(o.what == closedForm && strings.HasSuffix(file, ".json")) {
			what, instead = o.what, o.instead
			break
		}
	}
	if _, several := blankSeparated(head, len(head) == mostHead); what == "" && several {
		what, instead = "an adjacency list of NetworkX, several lines a node", fmt.Sprintf(byNetworkX, "read_multiline_adjlist")
	}
	base := filepath.Base(file)
	json := strings.TrimSuffix(base, filepath.Ext(base)) + "-graph.json"
	return what, strings.NewReplacer(
		"_graph(FILE)", fmt.Sprintf("_graph(json.load(open(%q)))", base),
		"FILE", fmt.Sprintf("%q", base), "open(JSON", fmt.Sprintf("open(%q", json),
	).Replace(instead)
}

// mostHead is how much of a text is looked at to tell its format.
const mostHead = 4 << 10

// headOf returns the beginning of a text, unpacked, without what may stand before all else.
func headOf(text []byte) []byte {
	text, _ = unpacked(text, mostHead)
	return bytes.TrimLeft(text[:min(mostHead, len(text))], "\ufeff \t\r\n")
}

// withoutComments removes comments from the beginning of a text: lines that begin with #, // or --, but not --- as of
// TLA+, and those in /* */.
func withoutComments(head []byte) []byte {
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		end := []byte("\n")
		switch {
		case bytes.HasPrefix(head, []byte("/*")):
			end = []byte("*/")
		case bytes.HasPrefix(head, []byte("#")), bytes.HasPrefix(head, []byte("//")),
			bytes.HasPrefix(head, []byte("--")) && !bytes.HasPrefix(head, []byte("---")):
		default:
			return head
		}
		_, after, found := bytes.Cut(head, end)
		if !found {
			return nil
		}
		head = after
	}
}
