// Package contexttest, internal to unknot, interrupts what a test runs at a chosen check of its context.
package contexttest

import "context"

// Context ends after a number of checks.
type Context struct {
	context.Context
	Left int // before it ends; negative afterwards
}

// New returns a context that ends after so many checks.
func New(ctx context.Context, checks int) *Context { return &Context{ctx, checks} }

// Err counts as a check.
func (c *Context) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
