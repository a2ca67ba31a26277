package words

import (
	"fmt"
	"strings"
)

// Suggestion returns "; did you mean X?" if at most a third of the letters differ from X, one of
// the names, or from the words that X begins with before a hyphen, or X begins with the name;
// otherwise "". Only the first 40 bytes are looked at.
func Suggestion(name string, names []string) string {
	name = name[:min(len(name), 40)]
	best, least := "", len(name)/3+1
	for _, n := range names {
		d := typos(strings.ToLower(name), n)
		if strings.HasPrefix(n, name) {
			d = min(d, 1)
		}
		for i := range n {
			if n[i] == '-' {
				d = min(d, typos(strings.ToLower(name), n[:i])+1) // the whole name would be nearer
			}
		}
		if d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// typos is the least number of letters to insert, drop, replace or swap with
// their neighbour that makes a out of b (Damerau 1964; no letter moves twice).
func typos(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
