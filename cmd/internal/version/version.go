// Package version reports the version of unknot from which a program was built.
package version

import "runtime/debug"

// Line returns the program's name, the version from which it was built, as far as the
// build records it, and the version of Go.
func Line(program string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return program
	}
	return program + " " + info.Main.Version + ", " + info.GoVersion
}
