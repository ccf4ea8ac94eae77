package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A StatusError is an HTTP error of the server. Its texts are the server's, without
// the key and shortened.
type StatusError struct {
	Status  int // the HTTP status; 200 for an error in the body of a reply
	Message string
	Code    string // the server's code or type of error, if any
	Param   string // the parameter that the server complains about, if any

	header http.Header
	body   string // the whole response, which may hold details such as limits
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("the server answered %d", e.Status)
	if t := http.StatusText(e.Status); t != "" && e.Status != http.StatusOK {
		s += " " + t
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// A NetworkError is a request without a response: no connection, a broken one, or a
// certificate that is not trusted.
type NetworkError struct {
	Message     string
	Certificate bool // the server's certificate was rejected: retries do not help
	err         error
}

func (e *NetworkError) Error() string { return e.Message }
func (e *NetworkError) Unwrap() error { return e.err }

// A TimeoutError is an attempt that took longer than Config.Timeout.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no reply within %s", e.After) }

// Timeout returns true, as in net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// A LengthError is a reply that was truncated at the limit of output tokens. The
// caller may split its request, unless Reasoning is set.
type LengthError struct {
	Limit     int  // the limit that was sent, in tokens; 0 if the server chose it
	Reasoning bool // the reply was all reasoning, without the beginning of an answer

	hasReasoning bool // a part of the reply was reasoning
	isProse      bool // the reply does not begin with JSON, and may be untagged reasoning
}

func (e *LengthError) Error() string {
	if e.Reasoning && e.Limit > 0 {
		return fmt.Sprintf("the model used all %d output tokens for reasoning and gave no answer", e.Limit)
	}
	if e.Limit == 0 {
		return "the reply was cut off for its length"
	}
	return fmt.Sprintf("the reply was cut off: it needs more than %d tokens", e.Limit)
}

// IsTruncated reports whether err is a truncated reply that may be complete if the caller
// splits its request. A reply that is all reasoning does not count: the model reasons
// about a part for as long as about the whole.
func IsTruncated(err error) bool {
	e, ok := errors.AsType[*LengthError](err)
	return ok && !e.Reasoning
}

// IsTooLong reports whether a request may succeed if the caller splits it: its reply
// was truncated, or its prompt is too long.
func IsTooLong(err error) bool { return IsTruncated(err) || isA[*ContextLengthError](err) }

// IsUnusable reports whether err is a reply that was not usable, because it could
// not be parsed or was truncated. Asking in another way may help.
func IsUnusable(err error) bool { return IsTruncated(err) || isA[*ParseError](err) }

// A ContextLengthError is a prompt that is longer than the model's context window.
type ContextLengthError struct {
	Limit   int // of the model, in tokens; 0 if the server does not report it
	Message string
	Silent  bool // the server did not reject the prompt but truncated it
}

func (e *ContextLengthError) Error() string {
	if e.Silent {
		return fmt.Sprintf("the server reads at most %d tokens of this prompt and silently drops the rest: its context window is too small", e.Limit)
	}
	if e.Limit == 0 {
		return "the prompt is longer than the model's window: " + e.Message
	}
	return fmt.Sprintf("the prompt is longer than the model's window of %d tokens", e.Limit)
}

// A RefusalError is a model that refused to answer, or a content filter that stopped
// the request or the reply. Repeating the request does not help.
type RefusalError struct {
	Reason  string // "refusal" or "content_filter"
	Message string // of the model or the server
}

func (e *RefusalError) Error() string {
	msg := "the model refused to answer"
	if e.Reason == "content_filter" {
		msg = "a content filter stopped the request or the reply"
	}
	if e.Message == "" {
		return msg
	}
	return msg + ": " + e.Message
}

// A ParseError is a reply that does not contain what was requested.
type ParseError struct {
	Reason string
	Text   string // the complete reply
	// Partial holds the complete elements of a truncated reply, with brackets closed,
	// if Schema.Accept accepts that. Only a caller that checks for missing elements may
	// use it.
	Partial json.RawMessage
	// NoAnswer is set if the reply is empty or all reasoning. After ReplyRetry has repeated
	// the request, asking in another way does not help either.
	NoAnswer bool

	isProse bool // the reply does not contain even the beginning of a JSON value
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("the reply can't be read: %s (it begins %q)", e.Reason, truncateText(e.Text, 60))
}

// A BudgetError is a request that was not sent because it could have exceeded a
// limit. Nothing is sent after the first one.
type BudgetError struct {
	Unit         string // "tokens" or "USD"
	Limit, Spent float64
}

func (e *BudgetError) Error() string {
	if e.Unit == "USD" {
		return fmt.Sprintf("the limit of $%.4g is reached: $%.4f spent, and the next request could pass it", e.Limit, e.Spent)
	}
	return fmt.Sprintf("the limit of %.0f tokens is reached: %.0f used, and the next request could pass it", e.Limit, e.Spent)
}

// A DownError reports that the server is down or rejects all requests, so that the
// other rows need not be tried.
type DownError struct{ Cause error }

func (e *DownError) Error() string { return "giving up on the server: " + e.Cause.Error() }
func (e *DownError) Unwrap() error { return e.Cause }

// IsFatal reports whether err ends the run and not just a row: the server is down, the
// budget is spent, or the replies of a batch can't be read.
func IsFatal(err error) bool {
	return isA[*DownError](err) || isA[*BudgetError](err) || isA[*StoreError](err)
}

// CanDrain reports whether requests in flight may still be answered after the fatal
// error err: the budget may be spent, but the server is up.
func CanDrain(err error) bool { return !isA[*DownError](err) }

// A usageError is an error of requests that cost something.
type usageError struct {
	error
	usage usage.Usage
}

func (e *usageError) Unwrap() error { return e.error }

func withUsage(err error, u usage.Usage) error {
	if e, ok := err.(*usageError); ok { //nolint:errorlint // only the outermost is replaced
		err = e.error
	}
	if u == (usage.Usage{}) {
		return err
	}
	return &usageError{err, u}
}

// UsageOf returns the usage of the requests that failed with err.
func UsageOf(err error) usage.Usage {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e.usage
	}
	return usage.Usage{}
}

// truncateText returns s on one line of at most n runes. Runes that are not printable
// become U+FFFD.
func truncateText(s string, n int) string {
	var b strings.Builder
	i := 0
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if i++; i > n {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isA reports whether the chain of err contains an error of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
