package simulate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
	"github.com/seed-105a2da2/unknot/spec/support/words"
)

// WriteText writes the conditions, and a table for each curve.
func (s *Study) WriteText(w io.Writer) error {
	var b strings.Builder
	var names []string
	for _, c := range s.Curves {
		if !slices.Contains(names, c.Network) {
			names = append(names, c.Network)
		}
	}
	fmt.Fprintf(&b, "%s\n", spec.Printable(strings.Join(names, ", ")))
	for _, c := range s.Conditions {
		fmt.Fprintf(&b, "  %s\n", spec.Printable(c))
	}
	for _, c := range s.Curves {
		if len(s.Curves) > 1 {
			fmt.Fprintf(&b, "\n%s", spec.Printable(c.Name))
			for _, own := range c.Conditions {
				if !slices.Contains(s.Conditions, own) {
					fmt.Fprintf(&b, "\n  %s", spec.Printable(own))
				}
			}
		}
		fmt.Fprintf(&b, "\n%8s %17s %17s %7s %7s %8s %8s\n",
			"load", "accepted", "latency", "p50", "p99", "network", "fairness")
		for _, r := range c.Points {
			if r.Delivered == 0 {
				fmt.Fprintf(&b, "%8.4g %17s  %s\n", r.Load, "nothing arrived", r.State())
				continue
			}
			fmt.Fprintf(&b, "%8.4g %17s %17s %7d %7d %8.1f %8.3f  %s\n",
				r.Load, interval(r.Accepted, "%.4f"), interval(r.Total.Estimate, "%.1f"), r.Total.Quantiles[0].Clocks,
				r.Total.Quantiles[2].Clocks, r.Network.Mean, r.Fairness, r.State())
		}
		for _, r := range c.Points {
			if r.Discarded > 0 {
				fmt.Fprintf(&b, "discarded at load %.4g: %s, %.3g %% of those that ended\n", r.Load,
					words.Plural(int(r.Discarded), "packet"), 100*float64(r.Discarded)/float64(r.Discarded+r.Delivered))
			}
		}
		if loads := c.Correlated(); loads != "" {
			fmt.Fprintf(&b, "%s\n", loads)
		}
		if r := c.Points[0]; r.Finished > 0 {
			fmt.Fprintf(&b, "the last packet arrived in clock %d\n", r.Finished)
		} else if r.Missing > 0 {
			fmt.Fprintf(&b, "%s of the trace did not arrive\n", words.Plural(r.Missing, "packet"))
		}
		if bound := c.Bound(); bound != "" {
			fmt.Fprintf(&b, "%s\n", bound)
		}
	}
	if len(s.Stated) > 0 {
		fmt.Fprintf(&b, "\nthe paper states, and what comes out here:\n")
		for _, line := range s.Stated {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if s.Beside != nil {
		s.Beside.write(&b)
	}
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// trimLines takes the white space from the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func interval(e Estimate, format string) string {
	if e.Half < 0 {
		return fmt.Sprintf(format, e.Mean)
	}
	return fmt.Sprintf(format+" +-"+format, e.Mean, e.Half)
}
