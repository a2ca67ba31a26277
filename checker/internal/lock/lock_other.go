//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package lock

import "os"

func flock(*os.File) error { return nil }
