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

// A StatusError is a server's refusal of a request. Its text is the server's,
// without the key and cut to a readable length.
type StatusError struct {
	Status  int // the HTTP status; 200 for an error in the body of a reply
	Message string
	Code    string // the server's own code or type of error, where it gives one
	Param   string // the parameter that the server names

	header http.Header // those that say when to come again
	body   string      // the whole answer, for what only it says, as a limit
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

// A NetworkError is a request that got no answer: no connection, a broken one,
// or a certificate that does not hold.
type NetworkError struct {
	Message     string
	Certificate bool // the server's certificate was refused: no retry helps
	err         error
}

func (e *NetworkError) Error() string { return e.Message }
func (e *NetworkError) Unwrap() error { return e.err }

// A TimeoutError is a try that took longer than Config.Timeout.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no reply within %s", e.After) }

// Timeout is true, as net.Error has it.
func (e *TimeoutError) Timeout() bool { return true }

// A LengthError is a reply that was truncated because its output tokens ran out.
// The caller asks for less at a time, unless Reasoning is set.
type LengthError struct {
	Room      int  // the limit that was sent, in tokens; 0 if the server chose it
	Reasoning bool // all of it was reasoning, and the answer had not begun

	reasoned bool // part of it was reasoning
	prose    bool // it does not begin with JSON, and may be reasoning without a mark
}

func (e *LengthError) Error() string {
	if e.Reasoning && e.Room > 0 {
		return fmt.Sprintf("the model used all %d output tokens for reasoning and gave no answer", e.Room)
	}
	if e.Room == 0 {
		return "the reply was cut off for its length"
	}
	return fmt.Sprintf("the reply was cut off: it needs more than %d tokens", e.Room)
}

// CutOff reports whether err is a truncated reply that may fit if less is asked at
// a time. A model that used up all its output tokens for reasoning is none: it
// reasons about a part as long as about the whole.
func CutOff(err error) bool {
	e, ok := errors.AsType[*LengthError](err)
	return ok && !e.Reasoning
}

// A ContextLengthError is a prompt that is longer than the model's window.
type ContextLengthError struct {
	Limit   int // of the model, in tokens; 0 where the server does not name it
	Message string
	Silent  bool // the server did not refuse the prompt, but dropped a part of it
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

// A RefusalError is a model that would not answer or a filter that would not
// let it. Asking the same again brings nothing.
type RefusalError struct {
	Reason  string // "refusal" or "content_filter"
	Message string // what the model or the server said
}

func (e *RefusalError) Error() string {
	what := "the model refused to answer"
	if e.Reason == "content_filter" {
		what = "a content filter stopped the request or the reply"
	}
	if e.Message == "" {
		return what
	}
	return what + ": " + e.Message
}

// A ParseError is a reply in which nothing that was asked for can be read.
type ParseError struct {
	Reason string
	Text   string // the reply as it came
	// Partial holds the whole elements of a reply that was cut off, closed where
	// it ended, if Schema.Accept took that. Only a caller that checks that
	// nothing is missing may use it.
	Partial json.RawMessage
	// NoAnswer is set if the reply is empty, or has nothing but reasoning. Once Reask
	// has asked again, asking in another way brings no answer either.
	NoAnswer bool

	prose bool // no JSON value so much as began in it
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("the reply can't be read: %s (it begins %q)", e.Reason, cut(e.Text, 60))
}

// A BudgetError is a request that was not sent because it could have passed the
// limit. From the first one on nothing more is sent.
type BudgetError struct {
	What         string // "tokens" or "USD"
	Limit, Spent float64
}

func (e *BudgetError) Error() string {
	if e.What == "USD" {
		return fmt.Sprintf("the limit of $%.4g is reached: $%.4f spent, and the next request could pass it", e.Limit, e.Spent)
	}
	return fmt.Sprintf("the limit of %.0f tokens is reached: %.0f used, and the next request could pass it", e.Limit, e.Spent)
}

// A DownError says that the server is down or lets nobody in, so that asking
// for the other rows is of no use.
type DownError struct{ Cause error }

func (e *DownError) Error() string { return "giving up on the server: " + e.Cause.Error() }
func (e *DownError) Unwrap() error { return e.Cause }

// Fatal says that err ends the run and not just a row: the server is down, the
// budget is spent, or what a batch brought can't be read.
func Fatal(err error) bool {
	_, down := errors.AsType[*DownError](err)
	_, spent := errors.AsType[*BudgetError](err)
	_, lost := errors.AsType[*StoreError](err)
	return down || spent || lost
}

// Drains says of a Fatal err that what is already asked may still be answered:
// the budget is spent, but the server is there.
func Drains(err error) bool {
	_, down := errors.AsType[*DownError](err)
	return !down
}

// usageError is an error that cost something.
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

// UsageOf is what was spent on the requests that ended in err.
func UsageOf(err error) usage.Usage {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e.usage
	}
	return usage.Usage{}
}

// cut shortens s to n runes on one line. Control characters and other runes that
// are not printable become U+FFFD.
func cut(s string, n int) string {
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
