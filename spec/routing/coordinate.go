package routing

import (
	"strconv"
	"strings"
)

// CoordinateName writes coordinates the way the catalogue names nodes: "(1,0)".
func CoordinateName(at ...int) string {
	var b strings.Builder
	for i, x := range at {
		b.WriteByte("(,"[min(i, 1)])
		b.WriteString(strconv.Itoa(x))
	}
	b.WriteByte(')')
	return b.String()
}
