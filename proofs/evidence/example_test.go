package evidence_test

import (
	"context"
	"fmt"

	"github.com/seed-105a2da2/unknot/proofs/evidence"
)

// A line of three nodes, one way, and a certificate in its written form: the second channel has the lower rank, as packets
// continue from the first to it. The digest ties it to the network, so no other network's evidence passes for it.
func ExampleSubject_Check() {
	const line = `{"format":"unknot-network-1","name":"line","switching":"store-and-forward","buffer":1,"tags":1,"selection":"",
"classes":[""],"vcs":[],"nodes":[{"name":"0","at":[]},{"name":"1","at":[]},{"name":"2","at":[]}],"links":[
{"from":0,"to":1,"vcs":1,"out":"","in":"","dim":0},{"from":1,"to":2,"vcs":1,"out":"","in":"","dim":0}],
"rows":[[-1,0],[0,0],[1,0]],"tables":[
{"dest":1,"class":0,"sources":[0,1],"sites":[0,0,0]},
{"dest":2,"class":0,"sources":[0,1,1,2],"sites":[0,0,2,1,0,0]}]}`
	ctx := context.Background()
	s, err := evidence.Read(ctx, "network.json", []byte(line))
	if err != nil {
		fmt.Println(err)
		return
	}
	check := func(ranks string) {
		text := "unknot-certificate 2\nnetwork " + s.Digest.String() +
			"\nproperty deadlock-freedom\nswitching store-and-forward\nkind rank\nrank 2\n" + ranks + "held 0\nmeasure 0\nend\n"
		shown, err := s.Check(ctx, "deadlock-freedom.unknot", []byte(text), evidence.Options{})
		if err != nil {
			fmt.Println("rejected:", err)
			return
		}
		fmt.Println("verified:", shown)
	}
	check("1 0\n")
	check("0 1\n")
	// Output:
	// verified: deadlock freedom holds (rank)
	// rejected: deadlock-freedom.unknot: at 0->1 vc0 for 2, class 0, tag 0: rank 0, but 1 after a hop
}
