// Package version tells which version of unknot a program is.
package version

import "runtime/debug"

// Line returns the program's name with the version that it was built from, as
// far as the build says it, and that of Go.
func Line(program string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return program
	}
	return program + " " + info.Main.Version + ", " + info.GoVersion
}
