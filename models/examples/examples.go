// Package examples holds files of networks of real designs and of protocols, each
// written to be read, changed and checked: see package star for the language. Each
// states the verdicts that are expected with the default parameters. Those in the
// folder protocols are a course, in which each shows one idea more.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed *.star protocols/*.star
var files embed.FS

// Files returns the files, such as "torus.star" and "protocols/14_msi.star".
func Files() fs.FS { return files }
