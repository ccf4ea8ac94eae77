package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// A Downgrade is a change of how JSON is asked for, which the server asked for
// by refusing the better way twice.
type Downgrade struct {
	From, To string // json_schema, json_object or prompt
	Status   int    // of the refusal
	Message  string // the server's
}

// String says what happened, for a warning.
func (d Downgrade) String() string {
	how := map[string]string{byMode.String(): "in JSON mode, without a schema", byPrompt.String(): "in the prompt alone"}[d.To]
	why := ""
	if d.Status != 0 {
		why = fmt.Sprintf(" (%v)", &StatusError{Status: d.Status, Message: d.Message})
	}
	return fmt.Sprintf("the server refuses response_format %s%s; asking for JSON %s for the rest of the run", d.From, why, how)
}

func (f format) String() string {
	return [...]string{"json_schema", "json_object", "prompt"}[f]
}

// formStats are what a client has seen of the form that it uses.
type formStats struct {
	taken         int // requests with a schema that the server took
	doubts        int // calls since then that it took in another form only
	parsed, prose int // replies with JSON, and without
}

// doubtsToSwitch is how many calls in a row must find that the server refuses a
// form that it took before, until the other calls change theirs.
const doubtsToSwitch = 3

// Downgrades lists how the way to ask for JSON has changed, in order.
func (c *Client) Downgrades() []Downgrade {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Downgrade(nil), c.downgrades...)
}

// current is the form in use, and whether the server has taken requests in it.
func (c *Client) current() (f form, proven bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form, c.taken > 0
}

// adopt uses f for all calls from now on, and what the form in use leaves out
// already. why is the refusal that led to it, if there is one.
func (c *Client) adopt(f form, why error) {
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
	if e, ok := errors.AsType[*StatusError](why); ok {
		d.Status, d.Message = e.Status, e.Message
	}
	c.downgrades = append(c.downgrades, d)
	c.mu.Unlock()
	if c.notify != nil {
		c.notify(d)
	}
}

// unbounded is f without the limits that a server names, which are certain.
func (f form) withoutLimits() form {
	f.maxOutput, f.noBounds = 0, false
	return f
}

// saw counts a reply in form f. From more replies without JSON than with it, it
// follows that the server takes a schema and ignores it: then the prompt has it too.
func (c *Client) saw(f form, err error) {
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

// A negotiation is how one call finds a form that the server takes. While it
// lasts, calls that are refused too wait for what it finds.
type negotiation struct {
	c      *Client
	schema bool // the request has one
	start  form // that was in use when the call began
	turn   bool // the call holds the client's turn
	again  bool // the request is sent again as it was, to confirm the refusal
	wanted form // what the refusal asks for
	why    error
}

// begin returns the form to send. If none has worked yet and another call looks
// for one, it waits for that.
func (n *negotiation) begin(ctx context.Context) (form, error) {
	f, proven := n.c.current()
	if !proven && len(n.c.turn) > 0 {
		if err := n.take(ctx); err != nil {
			return f, err
		}
		n.end()
		f, _ = n.c.current()
	}
	n.start = f
	return f, nil
}

func (n *negotiation) take(ctx context.Context) error {
	select {
	case n.c.turn <- struct{}{}:
		n.turn = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end lets other calls negotiate.
func (n *negotiation) end() {
	if n.turn {
		n.turn = false
		<-n.c.turn
	}
}

// refused decides what follows the refusal of a request in form f, which a change
// to next could mend. A change of how JSON is asked for must be asked for twice,
// and so must any other that a fault of the server may have caused, or of a form
// that it took before. It is not ok if the refusal is final.
func (n *negotiation) refused(ctx context.Context, f, next form, guess bool, why error) (_ form, ok bool, err error) {
	if next.withoutLimits() == f.withoutLimits() {
		return next, true, nil // a limit that the server names
	}
	if !n.turn {
		if err := n.take(ctx); err != nil {
			return f, false, err
		}
		found, _ := n.c.current()
		if found = mergeForms(f, found); found.withoutLimits() != f.withoutLimits() {
			n.end()
			return found, true, nil // another call has learned something meanwhile
		}
	}
	n.c.mu.Lock()
	proven, noGuess := n.c.taken > 0, n.c.noGuess
	n.c.mu.Unlock()
	e, _ := errors.AsType[*StatusError](why)
	doubtful := next.format != f.format || proven || e.Status >= http.StatusInternalServerError
	if doubtful && (!n.again || n.wanted != next) {
		n.again, n.wanted = true, next
		return f, true, nil
	}
	n.again = false
	if guess && (proven || noGuess) {
		return f, false, nil
	}
	if next.format != f.format {
		n.why = why
	}
	return next, true, nil
}

// guessedWrong notes that no form helped, so that other calls do not guess too.
func (n *negotiation) guessedWrong() {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	n.c.noGuess = true
}

// succeed notes that the server took a request in form f. One that it took in
// another form than those before is an odd one, until there are more in a row.
func (n *negotiation) succeed(f form) {
	c := n.c
	c.mu.Lock()
	same := f.withoutLimits() == c.form.withoutLimits()
	switch {
	case same && n.schema:
		c.taken, c.doubts = c.taken+1, 0
	case !same && f != n.start && c.taken > 0:
		c.doubts++
	}
	odd := !same && c.taken > 0 && c.doubts < doubtsToSwitch
	c.mu.Unlock()
	if odd {
		f = form{maxOutput: f.maxOutput, noBounds: f.noBounds}
	}
	if f != n.start {
		c.adopt(f, n.why) // its first success is not counted, which only makes it less proven
	}
}
