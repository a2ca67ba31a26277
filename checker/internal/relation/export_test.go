package relation

import "context"

// HeadTailByWords is headTailByWords, whose blocks may have fewer tables here.
func (u *Usage) HeadTailByWords(ctx context.Context, workers, width int) (*HeadTail, error) {
	return u.headTailByWords(ctx, workers, width, nil)
}
