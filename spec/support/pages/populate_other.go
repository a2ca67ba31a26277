//go:build !linux

package pages

func populate([]byte) bool { return false }

func huge([]byte) bool { return false }

func drop([]byte) bool { return false }

func small() {}
