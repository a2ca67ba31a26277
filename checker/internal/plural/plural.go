// Package plural counts things in sentences.
package plural

import "strconv"

// Of returns "1 packet", "2 packets" and so on.
func Of(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
