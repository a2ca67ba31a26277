//go:build !linux

package pages

func populate([]byte) bool { return false }

// Huge has the system provide huge pages where it can, and reports whether it knows of them.
func Huge([]byte) bool { return false }
