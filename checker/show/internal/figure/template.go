package figure

import _ "embed"

// Templates defines, in the language of html/template,
//
//	symbol    []*Topology, once on a page: the drawings that overlays use
//	overlaid  an Overlay above its topology
//	graph     a *Graph
//
//go:embed figure.html
var Templates string

// Style is the style sheet of the figures, and the colours of the pages that show them:
// vermilion, blue and green after Okabe and Ito (2008), which the colour-blind can
// distinguish, darker or lighter so that letters on them are legible; and nothing relies on
// colour alone.
//
//go:embed figure.css
var Style string
