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

const maxMessageChars = 300 // characters of an error message

// A StatusError is an HTTP error response. Its texts come from the server,
// shortened and without the key.
type StatusError struct {
	Status  int // HTTP status, or 200 for an error reported only in the body
	Message string
	Code    string // error code or type, if any
	Param   string // the rejected parameter, if any

	header http.Header
	body   string // complete response, which may contain details such as limits

	throttled bool // the server answers nothing but 429
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

// parseBody sets the fields of e from a response body. Servers send the error as an object or a
// string in "error", or in "message" or "detail" at the top level.
func (e *StatusError) parseBody(text string) {
	e.body = text
	body := []byte(text)
	var list []json.RawMessage // Gemini sends a list of one error
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top, obj map[string]json.RawMessage
	if json.Unmarshal(body, &top) == nil {
		if raw, ok := top["error"]; !ok || json.Unmarshal(raw, &obj) != nil || obj == nil {
			obj = top
		}
	}
	field := func(keys ...string) string {
		for _, k := range keys {
			for _, m := range []map[string]json.RawMessage{obj, top} {
				if raw, ok := m[k]; ok && string(raw) != "null" {
					var s string
					if json.Unmarshal(raw, &s) != nil {
						s = string(raw)
					}
					return truncateText(s, maxMessageChars)
				}
			}
		}
		return ""
	}
	e.Message = field("message", "detail", "error", "error_message")
	e.Param = field("param")
	e.Code = strings.TrimSpace(field("code") + " " + field("type"))
	if e.Message == "" {
		e.Message = truncateText(text, maxMessageChars)
	}
}

// A NetworkError is a request that failed without a response.
type NetworkError struct {
	Message   string
	Permanent bool // a certificate was rejected
	err       error
}

func (e *NetworkError) Error() string { return e.Message }
func (e *NetworkError) Unwrap() error { return e.err }

// A TimeoutError is an attempt that exceeded Config.Timeout.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no reply within %s", e.After) }

// A LengthError is a reply that was truncated at the output token limit. The
// caller may split its request, unless Reasoning is set.
type LengthError struct {
	Limit     int  // tokens requested, or 0 if the server chose the limit
	Reasoning bool // the reply contains only reasoning

	hasReasoning bool // the reply contains some reasoning
	isProse      bool // the reply does not start with JSON and may be untagged reasoning
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

// IsTruncated reports whether err is a truncated reply that may be complete if
// the caller splits its request. That excludes replies with only reasoning,
// because the model reasons about a part for as long as about the whole.
func IsTruncated(err error) bool {
	e, ok := errors.AsType[*LengthError](err)
	return ok && !e.Reasoning
}

// IsTooLong reports whether splitting the request may help, because its reply
// was truncated or its prompt is too long.
func IsTooLong(err error) bool { return IsTruncated(err) || isA[*ContextLengthError](err) }

// IsUnusable reports whether err is a reply that could not be parsed or was
// truncated. A different prompt may help.
func IsUnusable(err error) bool { return IsTruncated(err) || isA[*ParseError](err) }

// A ContextLengthError is a prompt that exceeds the model's context window.
type ContextLengthError struct {
	Limit   int // context window in tokens, or 0 if unknown
	Message string
	Silent  bool // the server truncated the prompt instead of rejecting it
	// PerMinute is set if the limit is the tokens per minute of the account, which the
	// request alone exceeds.
	PerMinute bool

	available int // tokens left for the reply, if only that is too long; otherwise 0
	requested int // tokens of the rejected request as counted by the server, or 0 if unknown
}

func (e *ContextLengthError) Error() string {
	switch {
	case e.Silent:
		return fmt.Sprintf("the server reads at most %d tokens of this prompt and silently drops the rest: its context window is too small", e.Limit)
	case e.PerMinute && e.Limit > 0:
		return fmt.Sprintf("the request is larger than the server's limit of %d tokens per minute", e.Limit)
	case e.PerMinute:
		return "the request is larger than the server's limit of tokens per minute: " + e.Message
	case e.Limit == 0:
		return "the prompt is longer than the model's window: " + e.Message
	}
	return fmt.Sprintf("the prompt is longer than the model's window of %d tokens", e.Limit)
}

// A RefusalError is a refusal by the model, or a request or reply that was
// stopped by a content filter. Retries do not help.
type RefusalError struct {
	Reason  string // "refusal" or "content_filter"
	Message string // text from the model or the server
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

// A ParseError is a reply without the requested content.
type ParseError struct {
	Reason string
	Text   string // the complete reply
	// NoAnswer is set if the reply is empty or contains only reasoning. A different
	// prompt does not help.
	NoAnswer bool
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("the reply can't be read: %s (it begins %q)", e.Reason, truncateText(e.Text, 60))
}

// isReply reports whether the server sent a reply: err is nil, or means that the
// reply can't be used.
func isReply(err error) bool {
	return err == nil || isA[*LengthError](err) || isA[*ParseError](err) || isA[*RefusalError](err)
}

// A BudgetError is a request that was not sent because it could exceed a limit.
// No request is sent after the first one.
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

// A DownError reports that the server is down or rejects all requests, so the
// remaining rows are not attempted.
type DownError struct{ Cause error }

func (e *DownError) Error() string { return "giving up on the server: " + e.Cause.Error() }
func (e *DownError) Unwrap() error { return e.Cause }

// A StoreError reports that the replies of a batch can't be read or stored. It
// ends the run, since continuing would pay for them again.
type StoreError struct {
	Path string
	Err  error
}

func (e *StoreError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// A LogprobsError reports that a server returns no log probabilities, which the
// request requires. It ends the run.
type LogprobsError struct{ Cause error }

func (e *LogprobsError) Error() string {
	const what = "the server returns no log probabilities, which --threshold and --calibration require"
	if e.Cause != nil {
		return what + ": " + e.Cause.Error()
	}
	return what
}

func (e *LogprobsError) Unwrap() error { return e.Cause }

// IsFatal reports whether err ends the run rather than failing a single row:
// the server is down or lacks log probabilities that are required, the budget is
// spent, or batch replies can't be accessed.
func IsFatal(err error) bool {
	return isA[*DownError](err) || isA[*BudgetError](err) || isA[*StoreError](err) || isA[*LogprobsError](err)
}

// CanDrain reports whether requests in flight may still complete after the error err ended the run.
// They can if the budget is spent but the server is up, and its replies can be used.
func CanDrain(err error) bool {
	return !isA[*DownError](err) && !isA[*ParseError](err) && !isA[*LengthError](err)
}

// errDeferred marks a request whose reply arrives later.
var errDeferred = errors.New("the reply is not available yet")

// IsDeferred reports whether err only means that a batch or the last pass will
// answer the request. The row may send other requests that do not depend on it.
func IsDeferred(err error) bool { return errors.Is(err, errDeferred) }

// A usageError adds the usage of failed requests to their error.
type usageError struct {
	error
	usage usage.Usage
}

func (e *usageError) Unwrap() error { return e.error }

// withUsage returns err with usage u, replacing any previous usage.
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

// truncateText returns s on one line with at most n runes. Unprintable runes become U+FFFD.
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
