// Package examples, internal to unknot, holds files of networks of real designs and of protocols,
// each written to be read, changed and checked: see package star for the language. Each states the
// verdicts expected for the default parameters. The folder protocols is a course: each file shows
// one more idea. The folder field has reports from practice, and coherence protocols to run over networks.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed *.star protocols/*.star protocols/*.m coherence/*.star field/*.star field/*.csv field/fib/*.csv
var files embed.FS

// Files returns the files, such as "torus.star" and "protocols/14_msi.star".
func Files() fs.FS { return files }
