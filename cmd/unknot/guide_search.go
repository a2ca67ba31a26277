package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/cmd/unknot/guide"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// fieldWords are words of those who use unknot, and the pages that answer them, the first to read first. Words that the
// title of the right page has, or that it has most often, are not listed: pagesAbout finds them.
var fieldWords = [...]struct{ words, pages string }{
	{"noc, network on chip, network-on-chip, router, mesh, torus, hypercube, adaptive, wormhole",
		"first-network model patterns"},
	{"vc, virtual channel, virtual channels, input buffer, crossbar, allocator", "model first-network"},
	{"odd-even, odd even, west-first, north-last, negative-first, turn, turn model, escape, valiant, ugal",
		"patterns methods"},
	{"up*/down*, up-down, updown, spanning tree", "patterns routes"},
	{"deflection, misrouting, hot potato, livelock", "answers patterns"},
	{"axi, chi, ace, amba, tilelink, cxl, ucie, message class, virtual network, vnet", "replies model"},
	{"gem5, garnet, noxim, simulator, simulation", "compared measure topologies"},
	{"ib, ibroute, dump_lfts, smpquery, ibdiagnet, ufm, subnet manager, lid, sl, vl, sl2vl, ftree, minhop, torus-2qos",
		"fabrics"},
	{"ibdmchk", "compared fabrics"},
	{"credit", "model fabrics"},
	{"roce, pause, lossless, ecmp, leaf-spine", "model field"},
	{"fat tree, fat-tree, dragonfly, clos", "topologies routes field"},
	{"pcie, pci, pci-e, tlp, root complex, posted", "model replies mission"},
	{"coherence, directory, msi, mesi, moesi, cache, mutex, mutual exclusion, lock, consensus, leader election, fsm",
		"first-protocol protocol-files replies"},
	{"starvation, fairness, liveness", "first-protocol flow-control"},
	{"tla, tla+, murphi, promela, ltsmin, nusmv", "model-checkers compared"},
	{"deadlock, cycle, cdg", "first-network fix"},
	{"reconfiguration, reroute, hot plug", "rewrite vary"},
	{"qos, priority, arbitration, arbiter, timeout, multicast", "model"},
	{"proof, certificate, trace, counterexample", "answers trust"},
	{"theorem, dally, seitz, verbeek", "methods"},
	{"json, xml, csv", "formats topologies"},
	{"fabric, hpc, supercomputer, opa, omni-path", "fabrics clusters"},
}

// most pages, or models, are named: a longer list would be a search of its own.
const most = 3

// unknownTopic names the pages of the guide and the models that are about the words, or what was probably meant.
func unknownTopic(asked string, commands []string) error {
	err := fmt.Errorf("invalid help topic %.40q: want a command, or a topic that unknot help lists", asked)
	pages := pagesOfField(asked)
	if like := words.Suggestion(asked, append(commands, guide.Topics()...)); like != "" && pages == nil {
		return fmt.Errorf("%w%s", err, like)
	}
	if pages == nil {
		pages = pagesAbout(asked)
	}
	about := modelsAbout(asked)
	if len(about) > most {
		about = nil
	}
	switch {
	case len(pages) > 0 && len(about) > 0:
		return fmt.Errorf("%w; for %q see unknot help %s, and unknot models %s",
			err, asked, words.OneOf(pages), words.OneOf(about))
	case len(pages) > 0:
		return fmt.Errorf("%w; for %q see unknot help %s", err, asked, words.OneOf(pages))
	case len(about) > 0:
		return fmt.Errorf("%w; for %q see unknot models %s", err, asked, words.OneOf(about))
	}
	return err
}

// pagesOfField returns the pages that fieldWords has for a word, in the singular or the plural, or nil.
func pagesOfField(word string) []string {
	word = strings.ToLower(strings.TrimSpace(word))
	for _, f := range fieldWords {
		for _, w := range strings.Split(f.words, ", ") {
			if word == w || word == w+"s" {
				return strings.Fields(f.pages)
			}
		}
	}
	return nil
}

// pagesAbout returns the topics whose titles contain a word or, if there are none, the three whose pages contain it
// most often.
func pagesAbout(word string) []string {
	whole := wholeWord(word)
	if whole == nil {
		return nil
	}
	var titled, used []string
	times := map[string]int{}
	for _, t := range guide.Topics() {
		if whole.MatchString(guide.Title(t)) {
			titled = append(titled, t)
		}
		page, err := guide.Page(t)
		if times[t] = len(whole.FindAllString(page, -1)); err == nil && times[t] > 0 && t != "layout" {
			used = append(used, t)
		}
	}
	if len(titled) > 0 {
		return titled[:min(len(titled), most)]
	}
	slices.SortStableFunc(used, func(a, b string) int { return times[b] - times[a] })
	return used[:min(len(used), most)]
}

// modelsAbout returns the models whose names or summaries contain a word.
func modelsAbout(word string) (names []string) {
	whole := wholeWord(word)
	if whole == nil {
		return nil
	}
	for _, e := range models.Catalogue() {
		if whole.MatchString(e.Name) || whole.MatchString(e.Described().Summary) {
			names = append(names, e.Name)
		}
	}
	return names
}

// wholeWord matches a word, in the singular or the plural and in any case; nil is for words that are too short.
func wholeWord(word string) *regexp.Regexp {
	word = strings.TrimSpace(word)
	if len(word) < 2 {
		return nil
	}
	return regexp.MustCompile(`(?i)(^|\W)` + regexp.QuoteMeta(word) + `s?(\W|$)`)
}
