package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-105a2da2/unknot/checker/simulate"
	"github.com/seed-105a2da2/unknot/models/studies"
	"github.com/seed-105a2da2/unknot/models/studies/all"
	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// wholePaper is the value of --paper that runs all figures of a network in which functions are compared.
const wholePaper = "all"

// seedsOfPaper is the number of runs of each load of --paper all: with one run few statements can be told.
const seedsOfPaper = 3

// manyFigures reports whether --paper names more than one figure.
func manyFigures(paper string) bool { return paper == wholePaper || strings.Contains(paper, ",") }

// simulatePaper runs figures one after the other, and judges what the paper states about each and about several.
func (f *simulateFlags) simulatePaper(c *cobra.Command, name string, std streams) error {
	for _, flag := range f.given {
		if slices.Contains([]string{"csv", "plot", "traffic", "saturation", "out", "beside"}, flag) {
			return fmt.Errorf("--%s is not for --paper %s: each figure has its own; want --report or --json", flag, f.paper)
		}
	}
	figures, missing := f.figures(name)
	if missing != "" {
		return invalid("paper", missing, "figures that compare functions on %s, or all", spec.Printable(name))
	}
	if f.paper == wholePaper && !slices.Contains(f.given, "seeds") {
		f.seeds = seedsOfPaper
	}
	paper := simulate.Paper{Network: name}
	curves := map[string][]simulate.Curve{}
	asked := f.set
	for _, x := range figures {
		f.set, f.figure = asked, &x // the other flags of a figure are those of the next
		if err := f.setUp(c); err != nil {
			return err
		}
		study, _, err := f.study(c.Context(), name, std)
		if err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
		curves[x.Name] = study.Curves
		paper.Figures = append(paper.Figures, simulate.PaperFigure{
			Name: x.Name, Setup: f.setup(), Command: f.command(name, x.Name), Study: study,
		})
	}
	for _, s := range all.Across(name) {
		var of [][]simulate.Curve
		for _, figure := range s.Figures {
			if curves[figure] != nil {
				of = append(of, curves[figure])
			}
		}
		if len(of) < len(s.Figures) {
			continue
		}
		paper.Across = append(paper.Across, s.Judge(of))
	}
	if f.page != "" {
		write := func(w io.Writer) error { return paper.WritePage(w) }
		if err := writeFile(c.Context(), f.page, write); err != nil {
			return err
		}
	}
	if f.json {
		return paper.WriteJSON(std.out)
	}
	return paper.WriteText(std.out)
}

// figures returns those that --paper names in which functions are compared on a network, or the name of one that is not
// among them.
func (f *simulateFlags) figures(network string) (figures []studies.Figure, missing string) {
	for _, x := range all.Figures() {
		if x.Network == network && len(x.Functions) > 0 {
			figures = append(figures, x)
		}
	}
	if f.paper == wholePaper {
		if len(figures) == 0 {
			return nil, f.paper
		}
		return figures, ""
	}
	var named []studies.Figure
	for name := range strings.SplitSeq(f.paper, ",") {
		i := slices.IndexFunc(figures, func(x studies.Figure) bool { return x.Name == name })
		if i < 0 {
			return nil, name
		}
		named = append(named, figures[i])
	}
	return named, ""
}

// setup is the size of a figure, and how often and how long it is run.
func (f *simulateFlags) setup() string {
	return fmt.Sprintf("%s, %s, %s traffic, %d clocks, %s", strings.Join(f.set, " "),
		"loads "+f.offered, f.traffic, f.clocks, words.Plural(f.seeds, "seed"))
}

// command is the command that runs one figure as it was run.
func (f *simulateFlags) command(name, figure string) string {
	var settings []string
	for flag, value := range map[string]string{
		"load": f.offered, "length": f.length, "clocks": fmt.Sprint(f.clocks), "seeds": fmt.Sprint(f.seeds),
		"buffer": fmt.Sprint(f.buffer), "queue": fmt.Sprint(f.queue), "injectors": fmt.Sprint(f.injectors),
	} {
		if f.figure.Flags[flag] != value && (flag != "seeds" || value != "1" || f.figure.Flags[flag] != "") {
			settings = append(settings, "--"+flag+" "+value)
		}
	}
	for _, set := range f.set {
		name, value, _ := strings.Cut(set, "=")
		if f.figure.Set[name] != value {
			settings = append(settings, "--set "+set)
		}
	}
	slices.Sort(settings)
	return strings.Join(append([]string{"unknot simulate", name, "--paper", figure}, settings...), " ")
}
