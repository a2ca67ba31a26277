// Package contexttest, internal to unknot, interrupts what a test runs at a chosen check of its context.
package contexttest

import (
	"context"
	"sync/atomic"
)

// Context ends after a number of checks. Several goroutines may check it.
type Context struct {
	context.Context
	left atomic.Int64 // before it ends; negative afterwards
}

// New returns a context that ends after so many checks.
func New(ctx context.Context, checks int) *Context {
	c := &Context{Context: ctx}
	c.left.Store(int64(checks))
	return c
}

// Left returns how many checks are left; after the end it is negative.
func (c *Context) Left() int { return int(c.left.Load()) }

// Err counts as a check.
func (c *Context) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
