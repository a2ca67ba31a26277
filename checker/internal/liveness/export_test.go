package liveness

import "context"

// DecideLocallyAnyhow is DecideLocally with graphs of few states, whether or not that is worth it.
func DecideLocallyAnyhow(ctx context.Context, s *Space, k int, by Local) (a *Answer, left, graphs int64, err error) {
	x := &local{Space: s, by: by, least: 2}
	a, err = x.decide(ctx, k, func(n, _ int64) bool {
		left = n
		return true
	})
	return a, left, int64(len(x.graphs)), err
}
