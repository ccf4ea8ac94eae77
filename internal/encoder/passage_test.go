package encoder

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestSplitReturnsContextError(t *testing.T) {
	for _, texts := range [][]string{
		{strings.Repeat("One sentence of five words. ", 1000)},
		strings.Split(strings.Repeat("One sentence of five words. ", 1000), ". "),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		counts := 0
		c := Splitter{
			Count: func(text string) int {
				if counts++; counts == 3 {
					cancel()
				}
				return len(strings.Fields(text))
			},
			Sentences: func(text string, yield func(start, end int)) {
				for at := 0; at < len(text); {
					n := strings.Index(text[at:], ". ") + 2
					yield(at, at+n)
					at += n
				}
			},
		}
		if got, err := c.Split(ctx, texts, 10); !errors.Is(err, context.Canceled) || got != nil || counts > 3 {
			t.Errorf("%d texts: got error %v after %d token counts, want %v after 3", len(texts), err, counts, context.Canceled)
		}
	}
}
