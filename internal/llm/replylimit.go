package llm

import (
	"context"
	"fmt"
)

const (
	minReplyBytes    = 1 << 20  // envelope of a reply, with what servers add to it
	maxReplyBytes    = 32 << 20 // of embeddings and lists of batches
	tokenBytes       = 64       // upper bound of an output token, repeated and escaped
	alternativeBytes = 256      // upper bound of a token with its log probability

	minReplyValues = 4096
	maxReplyValues = 1 << 17
)

// A replyLimit bounds the response to a request, before it is parsed: every value takes
// hundreds of bytes of memory, even if it is {}.
type replyLimit struct {
	bytes  int // decompressed
	values int // JSON objects and arrays
}

// limitReply returns the limit of a reply with a number of output tokens, and alternatives
// for each of them. If tokens is 0, the server chooses their number.
func limitReply(tokens, alternatives int) replyLimit {
	if tokens <= 0 {
		tokens = maxReasoning
	}
	return replyLimit{
		bytes:  min(minReplyBytes+tokens*(tokenBytes+alternatives*alternativeBytes), maxReplyBytes),
		values: minReplyValues + 4*tokens*(alternatives+1),
	}
}

type replyLimitKey struct{}

func withReplyLimit(ctx context.Context, l replyLimit) context.Context {
	return context.WithValue(ctx, replyLimitKey{}, l)
}

func replyLimitFrom(ctx context.Context) replyLimit {
	if l, ok := ctx.Value(replyLimitKey{}).(replyLimit); ok {
		return l
	}
	return replyLimit{maxReplyBytes, maxReplyValues}
}

// check returns an error if a response exceeds the limit.
func (l replyLimit) check(body []byte) error {
	if len(body) > l.bytes {
		return fmt.Errorf("the reply is larger than %d KiB", l.bytes>>10)
	}
	if values, _ := countValues(body); values > l.values {
		return fmt.Errorf("the reply has more than %d JSON values", l.values)
	}
	return nil
}

// countValues returns the number of objects and arrays in JSON and how deep they are nested.
func countValues(b []byte) (values, depth int) {
	level, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			values++
			level++
			depth = max(depth, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return values, depth
}
