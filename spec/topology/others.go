package topology

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// other is a format that is known and not read: how to recognise the beginning of a text in it, what it is, and
// what to do instead. In a command in Python, FILE stands for the name of the file, and JSON and CSV for those of others.
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
	byNetworkX = `convert it with python3 -c 'import json, networkx as nx; ` +
		`json.dump(nx.node_link_data(nx.%s), open(JSON, "w"))'`
	byRows     = "convert it with " + inRows
	byCables   = "convert it, and read the rows with --both-ways: " + inRows
	inRows     = `python3 -c '%sprint("from,to"); [print(%s, sep=",") for %s]' > CSV`
	asProtocol = "unknot reads no models of other checkers; a protocol is written in Starlark " +
		"(unknot help protocol-files)"
	byAdjacency   = "adjacency_graph(json.load(open(FILE)))"
	asFolder      = "put it into a folder with the forwarding tables and name that (unknot help fabrics)"
	discovery     = "the output of ibnetdiscover"
	closedForm    = "a closed form of unknot"
	matrix        = "a matrix of Matrix Market"
	entries       = `l in [l for l in open(FILE) if l.split() and l[0] != "%"][1:]` // the first has the sizes
	bareDiscovery = "run ibnetdiscover without options, and name the file with its output (unknot help fabrics)"
	inside        = "it describes one host, not a network: " + asRows
)

// nx returns the command that converts a file that a function of NetworkX reads.
func nx(read string) string { return fmt.Sprintf(byNetworkX, read) }

// others lists the formats by their syntax; the first that matches counts. Comments before it are skipped.
var others = sync.OnceValue(func() map[string][]other {
	all := map[string][]other{}
	adds := func(of string) func(begins, what, instead string) {
		return func(begins, what, instead string) {
			all[of] = append(all[of], other{regexp.MustCompile(begins), what, instead})
		}
	}
	xml, json, text := adds("xml"), adds("json"), adds("text")
	rows := func(imports, row, of string) string { return fmt.Sprintf(byRows, imports, row, of) }
	cables := func(imports, row, of string) string { return fmt.Sprintf(byCables, imports, row, of) }

	// unknot's own, under another name.
	json(`\A\{\s*"format"\s*:\s*"unknot-(network|program)-`, closedForm, "give its file a name that ends in .json")
	text(`\Aunknot-[a-z-]+ \d`, "evidence", "it follows the network on the command line")
	text(`\A(?s:.*?)(?m:^)(load\(|network\(|machine\(|\w+ = param\()`, "a network or protocol file", "give it a name that ends in .star")

	// Graphs.
	text(`(?i)\A\*(vertices|network)\b`, "a network of Pajek", nx("read_pajek(FILE)"))
	xml(`\A(<\?xml[^>]*>\s*)?<gexf\b`, "GEXF (Gephi)", nx("read_gexf(FILE)"))
	text(`(?i)\A%%MatrixMarket\s+matrix\s+coordinate\s+\w+\s+general`, matrix, rows("", `*l.split()[:2]`, entries))
	text(`(?i)\A%%MatrixMarket\s+matrix\s+coordinate\s`, matrix, cables("", `*l.split()[:2]`, entries))
	text(`(?i)\A%%MatrixMarket\s`, matrix, asRows)
	text(`\ALEDA\.GRAPH`, "a graph of LEDA", nx("read_leda(FILE)"))
	text(`\A>>graph6<<`, "graph6", nx("read_graph6(FILE)"))
	text(`\A>>sparse6<<`, "sparse6", nx("read_sparse6(FILE)"))
	text(`\A(c\b[^\n]*\n)*p (edge|col|sp|max|asn|min) \d+ \d+`, "a graph of DIMACS",
		cables("", `*l.split()[1:3]`, `l in open(FILE) if l[:2] in ("e ", "a ")`))
	json(`\A\{\s*(?s:.*?)"elements"\s*:\s*\{\s*"(nodes|edges)"`, "JSON of Cytoscape", nx("cytoscape_graph(json.load(open(FILE)))"))
	json(`\A\{(?s:.*?)"adjacency"\s*:\s*\[`, "adjacency data of NetworkX", nx(byAdjacency))
	json(`\A\{\s*"graphs?"\s*:\s*\[?\s*\{\s*("[a-z]+"\s*:\s*("[^"]*"|true|false)\s*,\s*)*"(nodes|edges)"`,
		"JSON Graph Format", rows("import json; ", `e["source"], e["target"]`,
			`j in [json.load(open(FILE))] for g in j.get("graphs") or [j["graph"]] for e in g["edges"]`))

	// Networks of simulators, and of managers.
	json(`\A\{(?s:.*?)"switches"\s*:(?s:.*?)"outports"`, "a topology of SST/macro", rows("import json; ", `s, p["destination"]`,
		`s, d in json.load(open(FILE))["switches"].items() for p in d["outports"].values()`))
	text(`\A(?s:.*?)(?m:^)routers:(?s:.*?)(?m:^)connections:`, "a network of FlooGen", asRows)
	text(`\A(?s:.*?)(?m:^)\s*(mesh_descriptors|device_topology)\s*\{`, "a mesh graph descriptor", asRows)
	text(`\A(?s:.*?)(?m:^)\s*routing_function\s*=\s*\w+\s*;`, "a configuration of BookSim",
		"it has a routing function and is a network of its own, which unknot check takes (unknot help topologies)")
	text(`\A(%[^\n]*\n\s*)*\d+ +\d+->\d+ +\d+ +\d+->\d+`, "a routing table of Noxim",
		"it has routes and no topology: a network file can read it with table(...) (unknot help topologies)")
	text(`(?i)\A(?s:.*?)(?m:^)\s*SwitchName=`, "a topology of Slurm",
		cables("import re; from ClusterShell.NodeSet import NodeSet; ", `s, n`, `l in open(FILE) for s in re.findall(r"(?i)^\s*SwitchName=(\S+)", l) `+
			`for f in re.findall(r"(?i)\b(?:Switches|Nodes)=(\S+)", l) for n in NodeSet(f)`))
	xml(`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<platform\b`, "a platform of SimGrid", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<network\b[^>]*sndlib`, "a network of SNDlib",
		cables("from xml.etree.ElementTree import parse; ", `l[0].text, l[1].text`,
			`l in parse(FILE).findall(".//{*}link")`))
	text(`\A\?SNDlib native format`, "a network of SNDlib",
		cables("import re; ", `*e`, `e in re.findall(r"(?m)^\s*\S+ \( (\S+) (\S+) \)", open(FILE).read().split("LINKS (")[1].split("\n)")[0])`))
	xml(`\A(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<architecture\b`, "an architecture of VPR", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?<Snapshot\b`, "a snapshot of an Omni-Path fabric", asRows)
	xml(`\A(<\?xml[^>]*>\s*)?(<!DOCTYPE topology SYSTEM "hwloc[^>]*>\s*)<topology\b`, "a topology of hwloc", inside)
	xml(`\A(<\?xml[^>]*>\s*)?<system\b[^>]*>\s*<cpu\b`, "a topology of NCCL", inside)
	text(`\Avendid=0x`, discovery,
		"unknot check --route reads it, and unknot graph --kind topology --format json makes of it what topology(...) reads")
	text(`\A(SW|CA|RT) +\d+ +\d+ +0x[0-9a-f]+ `, "the output of ibnetdiscover -p", bareDiscovery)
	text(`\A(Switch|Ca|Rt)\s*: 0x[0-9a-f]+ ports \d+ `, "the output of ibnetdiscover -l, -S, -H or -R", bareDiscovery)
	text(`\A(?s:.*?)(?m:^)[ \t]+(0x[0-9a-f]+ +)?\d+ +\d+\[[ \d]*\] ==\(`, "the output of iblinkinfo", bareDiscovery)
	text(`\A(?s:.*?)(?m:^)(vendid=0x|switchguid=0x)`, discovery, "delete the lines of other programs above vendid=")
	text(`\A(Unicast lids|dump_ucast_routes: Switch|Switch 0x[0-9a-f]+, base LID)`, "a dump of a subnet manager", asFolder)
	json(`\A\{ (SW|CA)\b`, "a dump of a subnet manager", asFolder)
	json(`\A\{\s*"[^"]*"\s*:\s*\[\s*("[^"]*"|\d+)(\s*,\s*("[^"]*"|\d+))*\s*\]\s*[,}]`, "lists of names",
		"if each is a path, write them as the rows of a CSV file with the heading hops, the nodes of a path with spaces "+
			"between; if each has the neighbours of a node, write each node and them in a row with blanks between, and say "+
			"--from adjlist (unknot help topologies)")

	text(`(?i)\A([^\n]*[,;\t])?"?(next|next_hop|nexthop|via)"?\s*([,;\t][^\n]*)?(?m:$)`, "a table of next hops",
		"add a column node, the router of each row, or name a folder with such a table for each router, ROUTER.csv "+
			"(unknot help topologies)")

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
	if what == "" {
		_, what = blankSeparated(head, len(head) == mostHead)
	}
	switch what {
	case severalLines:
		instead = nx("read_multiline_adjlist(FILE)")
	case barePaths:
		instead = "if each row is a path, put a line with the word hops above the first; if it is a node with those that " +
			"it has links to, say --from adjlist (unknot help topologies)"
	}
	return what, named(file, instead)
}

// named puts the names of files into a command.
func named(file, command string) string {
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	return strings.NewReplacer(
		"(FILE", "("+inPython(file), "(JSON", "("+inPython(stem+"-graph.json"), "> CSV", "> "+inShell(stem+"-links.csv"),
	).Replace(command)
}

// inPython returns a string of Python that may stand between single quotes of a shell.
func inPython(text string) string { return strings.ReplaceAll(strconv.Quote(text), "'", `\x27`) }

// inShell returns a word of a shell.
func inShell(text string) string {
	if plain().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[\w./+=:@%-]+\z`) })

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
