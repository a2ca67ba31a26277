// Package omega, internal to unknot, models the circular omega network with banks of the EM-4
// (Sakai, Yamaguchi, Hiraki, Kodama and Yuba, 1989).
package omega

import (
	"embed"

	"github.com/seed-105a2da2/unknot/models/catalogue"
)

//go:embed *.entries *.claims *.star
var files embed.FS

func Entry() catalogue.Entry {
	return catalogue.Network(catalogue.Read(files, "circular-omega"), catalogue.File(files, "omega.star"))
}
