// Package revision identifies the version of this module, so that what one version saved is
// not read by another, to which states and verdicts may mean something else.
package revision

import (
	"runtime/debug"
	"strings"
)

const module = "github.com/seed-105a2da2/unknot"

// This returns the version of the module that the running program was built from, or
// "" if the build does not record it, as in tests.
func This() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		// which takes the module from the folders around it
		within := m.Path == module || strings.HasPrefix(m.Path, module+"/")
		if within && m.Replace == nil && m.Version != "(devel)" {
			return m.Version
		}
	}
	return ""
}
