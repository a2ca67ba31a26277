package combining

import "embed"

// files are the protocols, and what they load.
//
//go:embed *.star
var files embed.FS
