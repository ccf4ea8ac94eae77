package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// A Downgrade is a change of how JSON is requested, after the server has rejected the
// better way twice.
type Downgrade struct {
	From, To string // json_schema, json_object or prompt
	Status   int    // HTTP status of the rejection
	Message  string // of the server
}

// String describes the change for a warning.
func (d Downgrade) String() string {
	how := map[string]string{byMode.String(): "in JSON mode, without a schema", byPrompt.String(): "in the prompt alone"}[d.To]
	cause := ""
	if d.Status != 0 {
		cause = fmt.Sprintf(" (%v)", &StatusError{Status: d.Status, Message: d.Message})
	}
	return fmt.Sprintf("the server refuses response_format %s%s; asking for JSON %s for the rest of the run", d.From, cause, how)
}

func (f format) String() string {
	return [...]string{"json_schema", "json_object", "prompt"}[f]
}

// formStats counts what a client has seen of its current form.
type formStats struct {
	accepted      int // requests with a schema that the server accepted
	doubts        int // calls since then that it accepted only in another form
	parsed, prose int // replies with and without JSON
}

// doubtsToSwitch is the number of consecutive calls that must be rejected in a form
// that worked before, until all calls switch to another one.
const doubtsToSwitch = 3

// Downgrades returns the changes so far, in order.
func (c *Client) Downgrades() []Downgrade {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Downgrade(nil), c.downgrades...)
}

// current returns the current form, and whether the server has accepted it.
func (c *Client) current() (f form, proven bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form, c.accepted > 0
}

// adopt uses f for all following calls, in addition to the restrictions of the current
// form. cause is the error that led to it, or nil.
func (c *Client) adopt(f form, cause error) {
	c.mu.Lock()
	from := c.form
	if c.form = mergeForms(from, f); c.form.withoutLimits() != from.withoutLimits() {
		c.formStats = formStats{}
	}
	if c.form.format == from.format {
		c.mu.Unlock()
		return
	}
	d := Downgrade{From: from.format.String(), To: c.form.format.String()}
	if e, ok := errors.AsType[*StatusError](cause); ok {
		d.Status, d.Message = e.Status, e.Message
	}
	c.downgrades = append(c.downgrades, d)
	c.mu.Unlock()
	if c.notify != nil {
		c.notify(d)
	}
}

// withoutLimits returns f without the limits that a server names explicitly.
func (f form) withoutLimits() form {
	f.maxOutput, f.noBounds = 0, false
	return f
}

// countReply records whether a reply in form f had JSON. If more replies have none, the
// server ignores the schema, and it is added to the prompt.
func (c *Client) countReply(f form, err error) {
	e, bad := errors.AsType[*ParseError](err)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case f.withoutLimits() != c.form.withoutLimits():
	case !bad:
		c.parsed++
	case e.prose:
		if c.prose++; c.prose > c.parsed {
			c.form.schemaInPrompt = true
		}
	}
}

// A negotiation finds a form that the server accepts for one call. Other calls that
// are rejected meanwhile wait for its result.
type negotiation struct {
	c         *Client
	schema    bool // the request has a schema
	start     form // current form when the call started
	locked    bool // the call holds the client's negotiation lock
	confirm   bool // the request is being repeated unchanged to confirm the rejection
	confirmed form // the form that the rejection suggests
	cause     error
}

// begin returns the form to send. If none has worked yet and another call is
// negotiating, it waits for that.
func (n *negotiation) begin(ctx context.Context) (form, error) {
	f, proven := n.c.current()
	if !proven && len(n.c.negotiate) > 0 {
		if err := n.lock(ctx); err != nil {
			return f, err
		}
		n.unlock()
		f, _ = n.c.current()
	}
	n.start = f
	return f, nil
}

func (n *negotiation) lock(ctx context.Context) error {
	select {
	case n.c.negotiate <- struct{}{}:
		n.locked = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unlock lets other calls negotiate.
func (n *negotiation) unlock() {
	if n.locked {
		n.locked = false
		<-n.c.negotiate
	}
}

// rejected decides what to do after the server rejected form f with cause, which next
// may fix. It asks for confirmation by a second attempt if next changes how JSON is
// requested, if the error may be a fault of the server, or if f has worked before. It
// returns false if the rejection is final.
func (n *negotiation) rejected(ctx context.Context, f, next form, guess bool, cause error) (_ form, ok bool, err error) {
	if next.withoutLimits() == f.withoutLimits() {
		return next, true, nil // an explicit limit
	}
	if !n.locked {
		if err := n.lock(ctx); err != nil {
			return f, false, err
		}
		found, _ := n.c.current()
		if found = mergeForms(f, found); found.withoutLimits() != f.withoutLimits() {
			n.unlock()
			return found, true, nil // another call has found a form meanwhile
		}
	}
	n.c.mu.Lock()
	proven, noGuess := n.c.accepted > 0, n.c.noGuess
	n.c.mu.Unlock()
	e, _ := errors.AsType[*StatusError](cause)
	doubtful := next.format != f.format || proven || e.Status >= http.StatusInternalServerError
	if doubtful && (!n.confirm || n.confirmed != next) {
		n.confirm, n.confirmed = true, next
		return f, true, nil
	}
	n.confirm = false
	if guess && (proven || noGuess) {
		return f, false, nil
	}
	if next.format != f.format {
		n.cause = cause
	}
	return next, true, nil
}

// guessedWrong records that no guess helped, so that other calls do not try.
func (n *negotiation) guessedWrong() {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	n.c.noGuess = true
}

// succeed records that the server accepted form f. If it accepted other forms before,
// this is treated as an exception until it happens several times in a row.
func (n *negotiation) succeed(f form) {
	c := n.c
	c.mu.Lock()
	same := f.withoutLimits() == c.form.withoutLimits()
	switch {
	case same && n.schema:
		c.accepted, c.doubts = c.accepted+1, 0
	case !same && f != n.start && c.accepted > 0:
		c.doubts++
	}
	odd := !same && c.accepted > 0 && c.doubts < doubtsToSwitch
	c.mu.Unlock()
	if odd {
		f = form{maxOutput: f.maxOutput, noBounds: f.noBounds}
	}
	if f != n.start {
		c.adopt(f, n.cause) // this first success is not counted, so the form is less proven
	}
}
