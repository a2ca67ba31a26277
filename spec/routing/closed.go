package routing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-105a2da2/unknot/spec"
)

// ReadClosed reads a network in the closed form ([spec.ReadParts]), rows, tables
// and sites in any order, within bounds on its sites and memory. Whatever no injected
// packet reaches is left out: tables without sources, sites that no source leads
// to, rows that no site has. So a network has one digest however its file is written.
func ReadClosed(ctx context.Context, file string, text []byte, opt CompileOptions) (*spec.Network, error) {
	// A number of two characters takes up to 8 bytes.
	if held := 5 * int64(len(text)); opt.Memory > 0 && held >= opt.Memory {
		return nil, fmt.Errorf("reading %s: %w", file, &BudgetError{Memory: opt.Memory})
	}
	parts, locate, err := spec.ReadParts(ctx, file, text)
	if err != nil {
		return nil, err
	}
	o := ordering{parts: &parts, used: make([]bool, len(parts.Rows))}
	tooMany := fmt.Errorf("reading %s: %w", file, &spec.BoundError{What: "sites", Limit: opt.MaxSites})
	if parts.Ends != nil { // in order: fragments are written by programs
		if opt.MaxSites > 0 && sites(&parts) > opt.MaxSites { // before any work, as a short text can stand for many
			return nil, tooMany
		}
		if o.whole, err = spec.NewNetwork(ctx, parts); err != nil {
			return nil, cmp.Or(context.Cause(ctx), locate(err))
		}
		parts.Pieces, parts.Ends = spec.Table{}, nil
		o.pack = opt.Fragments > 0
	}
	if err := o.tables(ctx); err != nil {
		return nil, err
	}
	o.rows()
	n, err := spec.NewNetwork(ctx, parts)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), locate(err))
	}
	if opt.MaxSites > 0 && n.SiteCount()+n.FlowCount() > opt.MaxSites {
		return nil, tooMany
	}
	return n, nil
}

// sites counts the sites and flows of all tables. It leaves out fragments that do not exist,
// which [spec.NewNetwork] refuses.
func sites(p *spec.Parts) (sum int) {
	for i := range p.Tables {
		t := &p.Tables[i]
		sum += len(t.Sources) + t.Len()
		for _, f := range t.Fragments {
			if int(f) < len(p.Ends)-1 {
				from, to := p.Ends[f], p.Ends[f+1]
				sum += int(to[0]-from[0]) + int(to[1]-from[1])
			}
		}
	}
	return sum
}

// ordering puts parts into the order of [spec.NewNetwork]. Nothing rests on it:
// NewNetwork checks that no hop leads to what was left out.
type ordering struct {
	parts     *spec.Parts
	used      []bool        // by row
	whole     *spec.Network // of tables in fragments; otherwise nil
	pack      bool          // keep them so
	fragments fragmentSet   // those in which they are kept
}

func (o *ordering) tables(ctx context.Context) error {
	p := o.parts
	for i, row := range p.Rows {
		slices.SortFunc(row, spec.Hop.Compare)
		p.Rows[i] = slices.Compact(row)
	}
	p.Tables = slices.DeleteFunc(p.Tables, func(t spec.Table) bool { return len(t.Sources)+len(t.Fragments) == 0 })
	slices.SortStableFunc(p.Tables, func(a, b spec.Table) int { return a.Target.Compare(b.Target) })
	tags := p.Tags
	at := make([]int32, p.Topology.Channels()*tags) // site of the table + 1
	var together [2]spec.Table                      // that before, too, is packed
	for i := range p.Tables {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t := &p.Tables[i]
		if o.whole != nil && o.pack {
			t = o.whole.TableIn(&together[i%2], i)
		} else if o.whole != nil {
			t = o.whole.Table(i)
		}
		slices.SortStableFunc(t.Sources, func(a, b spec.Source) int { return cmp.Compare(a.Node, b.Node) })
		order := make([]int, t.Len())
		for s := range order {
			order[s] = s
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(t.Channels[a], t.Channels[b]), cmp.Compare(t.Tag(a), t.Tag(b)))
		})
		for s, c := range t.Channels {
			at[int(c)*tags+int(t.Tag(s))] = int32(s) + 1
		}
		seen := o.reached(t, at)
		for s, c := range t.Channels {
			at[int(c)*tags+int(t.Tag(s))] = 0
		}
		kept := keep(t, order, seen)
		if o.pack {
			kept = o.fragments.pack(&kept)
		}
		p.Tables[i] = kept
	}
	p.Pieces, p.Ends = o.fragments.lists, o.fragments.ends
	return nil
}

// reached reports which sites of a table its sources lead to (every copy of a site
// that is listed twice), and marks the rows that are used.
func (o *ordering) reached(t *spec.Table, at []int32) []bool {
	seen := make([]bool, t.Len())
	var queue []int
	follow := func(r spec.RowID) {
		o.used[r] = true
		for _, h := range o.parts.Rows[r] {
			if h.Channel == spec.Eject {
				continue
			}
			if i := int(at[int(h.Channel)*o.parts.Tags+int(h.Tag)]) - 1; i >= 0 && !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	for _, s := range t.Sources {
		follow(s.Row)
	}
	for i := 0; i < len(queue); i++ {
		follow(t.Rows[queue[i]])
	}
	for i, c := range t.Channels {
		if again := int(at[int(c)*o.parts.Tags+int(t.Tag(i))]) - 1; again != i {
			seen[i], seen[again] = true, true // so that it is refused
			o.used[t.Rows[i]], o.used[t.Rows[again]] = true, true
		}
	}
	return seen
}

// keep returns a table with those of its sites that were seen, in order.
func keep(t *spec.Table, order []int, seen []bool) spec.Table {
	kept := spec.Table{Target: t.Target, Sources: t.Sources}
	for _, s := range order {
		if seen[s] {
			kept.Channels, kept.Rows = append(kept.Channels, t.Channels[s]), append(kept.Rows, t.Rows[s])
			if t.Tags != nil {
				kept.Tags = append(kept.Tags, t.Tags[s])
			}
		}
	}
	return kept
}

// rows sorts the rows that are used, stores equal ones once, and gives all of
// them their new numbers.
func (o *ordering) rows() {
	var kept [][]spec.Hop
	now := make([]spec.RowID, len(o.used))
	for r, u := range o.used {
		if u {
			now[r] = spec.RowID(len(kept))
			kept = append(kept, o.parts.Rows[r])
		}
	}
	rows, number := distinct(kept)
	for r, u := range o.used {
		if u {
			now[r] = number[now[r]]
		}
	}
	o.parts.Rows = rows
	renumber(o.parts.Tables, now)
	renumber([]spec.Table{o.parts.Pieces}, now)
}
