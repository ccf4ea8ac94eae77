package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
)

// A Downgrade is a change to a less strict format of JSON requests, after the
// server rejected the stricter one twice.
type Downgrade struct {
	From, To string // json_schema, json_object or prompt
	Status   int    // HTTP status of the rejection
	Message  string // message from the server
}

// String describes the downgrade as a warning.
func (d Downgrade) String() string {
	how := map[string]string{jsonMode.String(): "in JSON mode, without a schema", jsonInPrompt.String(): "in the prompt alone"}[d.To]
	cause := ""
	if d.Status != 0 {
		cause = fmt.Sprintf(" (%v)", &StatusError{Status: d.Status, Message: d.Message})
	}
	return fmt.Sprintf("the server refuses response_format %s%s; asking for JSON %s for the rest of the run", d.From, cause, how)
}

func (f format) String() string {
	return [...]string{"json_schema", "json_object", "prompt"}[f]
}

// formStats counts the outcomes of requests in the client's current form.
type formStats struct {
	accepted              int // requests with a schema that the server accepted
	rejections            int // later calls that it accepted only in another form
	withJSON, withoutJSON int // replies with and without JSON
}

// rejectionsToSwitch is the number of consecutive calls that must be rejected
// in a previously accepted form before all calls switch to another one.
const rejectionsToSwitch = 3

// Downgrades returns all downgrades so far, in order.
func (c *Client) Downgrades() []Downgrade {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Downgrade(nil), c.downgrades...)
}

// currentForm returns the current form and whether the server has accepted it.
func (c *Client) currentForm() (f form, proven bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form, c.accepted > 0
}

// adoptForm merges f into the form of all later calls. cause is the error that
// led to it, or nil.
func (c *Client) adoptForm(f form, cause error) {
	c.mu.Lock()
	previous := c.form
	if c.form = mergeForms(previous, f); c.form.withoutLimits() != previous.withoutLimits() {
		c.formStats = formStats{}
	}
	if c.form.NoEffort && !previous.NoEffort && c.notifyEffort != nil {
		defer c.notifyEffort(cause)
	}
	if c.form.Format == previous.Format {
		c.mu.Unlock()
		return
	}
	d := Downgrade{From: previous.Format.String(), To: c.form.Format.String()}
	if e, ok := errors.AsType[*StatusError](cause); ok {
		d.Status, d.Message = e.Status, e.Message
	}
	c.downgrades = append(c.downgrades, d)
	c.mu.Unlock()
	if c.notify != nil {
		c.notify(d)
	}
}

// withoutLimits returns f without limits that servers state explicitly.
func (f form) withoutLimits() form {
	f.MaxOutput, f.NoBounds, f.NoLogprobs = 0, false, false
	return f
}

// countReply records whether a reply in form f contained JSON. If most replies
// contain none, the server ignores the schema, so it is added to the prompt.
func (c *Client) countReply(f form, err error) {
	e, bad := errors.AsType[*ParseError](err)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case f.withoutLimits() != c.form.withoutLimits():
	case !bad:
		c.withJSON++
	case e.isProse:
		if c.withoutJSON++; c.withoutJSON > c.withJSON {
			c.form.SchemaInPrompt = true
		}
	}
}

// maxFormAttempts limits the requests that one call sends while it negotiates a
// form. Negotiating all parameters takes fewer, but a server may reject
// everything.
const maxFormAttempts = 16

// A negotiation finds a form that the server accepts for one call. Other
// rejected calls wait for its result.
type negotiation struct {
	client  *Client
	request *Request // to be sent, with limits that the server has stated
	form    form     // form in which it is to be sent
	start   form     // current form when the call started

	attempts        int   // requests that the server rejected
	fitsMinute      bool  // the request was shortened to fit the tokens per minute
	locked          bool  // the call holds the client's negotiation lock
	confirming      bool  // the request is being repeated unchanged to confirm the rejection
	confirmed       form  // the form that the rejection suggests
	cause           error // rejection that led to form
	beforeGuess     error // error that led to the first guess
	withoutLogprobs error // error that led to a guess that they are not supported
}

// begin chooses the form to send. If no form has worked yet and another call is
// negotiating, begin waits for it.
func (n *negotiation) begin(ctx context.Context) error {
	f, proven := n.client.currentForm()
	if !proven && len(n.client.negotiate) > 0 {
		if err := n.lock(ctx); err != nil {
			return err
		}
		n.unlock()
		f, _ = n.client.currentForm()
	}
	n.start, n.form = f, f
	if err := n.checkLogprobs(nil); err != nil {
		return err
	}
	return n.fitMinute(nil)
}

func (n *negotiation) lock(ctx context.Context) error {
	select {
	case n.client.negotiate <- struct{}{}:
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
		<-n.client.negotiate
	}
}

// checkLogprobs returns an error if log probabilities are required but are not to be
// requested.
func (n *negotiation) checkLogprobs(cause error) error {
	if n.request.LogprobsRequired && n.form.NoLogprobs {
		return &LogprobsError{cause}
	}
	return nil
}

// adapt changes the request after the server rejected it with err, so that it can be sent
// again. If it can't, it returns the error of the call.
func (n *negotiation) adapt(ctx context.Context, err error) (again bool, _ error) {
	e, isStatus := errors.AsType[*StatusError](err)
	if IsFatal(err) || isReply(err) || isStatus && isQuotaSpent(e) {
		return false, err
	}
	if n.attempts++; n.attempts >= maxFormAttempts {
		return false, err
	}
	if tooLong, ok := errors.AsType[*ContextLengthError](err); ok {
		return n.shorten(tooLong)
	}
	if n.form.bounded(n.request) && isFormRejection(err) {
		n.form.NoBounds = true // some servers support schemas but not bounds in them
		return true, nil
	}
	if rejected, guess := n.client.rejectsLogprobs(n.form, n.request, err); rejected {
		n.form.NoLogprobs = true
		if guess {
			n.withoutLogprobs = err
		}
		return n.canContinue(err)
	}
	next, guess, ok := adaptForm(n.form, n.request.Schema != nil, err)
	if ok {
		var lockErr error
		if next, ok, lockErr = n.rejected(ctx, next, guess, err); lockErr != nil {
			return false, lockErr
		}
	}
	if !ok {
		return false, n.fail(err)
	}
	if guess && n.beforeGuess == nil {
		n.beforeGuess = err
	} else if !guess {
		n.beforeGuess = nil
	}
	if next.Format != n.form.Format && n.withoutLogprobs != nil {
		next.NoLogprobs, n.withoutLogprobs = false, nil // it was the format that the server rejected
	}
	n.form = next
	return n.canContinue(err)
}

// canContinue reports whether the request can be sent again after err.
func (n *negotiation) canContinue(err error) (bool, error) {
	err = n.checkLogprobs(err)
	return err == nil, err
}

// shorten reduces the output token limit if only that makes the request too long.
func (n *negotiation) shorten(err *ContextLengthError) (again bool, _ error) {
	if err.PerMinute {
		if err.Limit == 0 || n.fitsMinute {
			return false, err
		}
		n.fitsMinute = true
		fitErr := n.fitMinute(err)
		return fitErr == nil, fitErr
	}
	if err.available < minOutputTokens || n.form.MaxOutput > 0 && err.available >= n.form.MaxOutput || n.request.MaxTokens <= err.available {
		return false, err
	}
	n.limitOutput(err.available)
	return true, nil
}

func (n *negotiation) limitOutput(tokens int) {
	r := *n.request
	r.MaxTokens = tokens
	n.request = &r
}

// fitMinute lowers the output token limit so that the request alone does not exceed the
// tokens per minute, once a request has. rejection is the error that names them, or nil. It
// returns an error if the prompt is too long, so that the caller splits the request.
func (n *negotiation) fitMinute(rejection *ContextLengthError) error {
	c := n.client
	c.mu.Lock()
	if rejection != nil {
		c.perMinute = rejection.Limit
	}
	limit := c.perMinute
	c.mu.Unlock()
	if limit == 0 {
		return nil
	}
	prompt := c.tokens.Request(n.request).Prompt
	if rejection != nil {
		prompt = max(prompt, rejection.requested-n.request.MaxTokens) // if the server counts the output token limit
	}
	available := limit - prompt
	if available < min(n.request.MaxTokens, minOutputTokens) {
		return &ContextLengthError{Limit: limit, PerMinute: true}
	}
	if available < n.request.MaxTokens {
		n.limitOutput(available)
	}
	return nil
}

// fail returns the error of a call that can't be adapted any further. A transient error may
// be followed by a retry, which negotiates anew.
func (n *negotiation) fail(err error) error {
	if IsTransient(err) {
		n.unlock()
		f, _ := n.client.currentForm()
		*n = negotiation{client: n.client, request: n.request, form: f, start: f}
		return err
	}
	if n.beforeGuess != nil {
		n.client.mu.Lock()
		defer n.client.mu.Unlock()
		n.client.guessingFailed = true // so that other calls do not guess
		return n.beforeGuess
	}
	return cmp.Or(n.withoutLogprobs, err)
}

// rejected decides how to proceed after the server rejected the form of n with cause.
// next is a form that may work. rejected asks for a confirming second attempt
// with the same form if next changes the JSON format, if cause may be a server fault, or if
// the form has worked before. ok is false if the rejection is final.
func (n *negotiation) rejected(ctx context.Context, next form, guess bool, cause error) (_ form, ok bool, err error) {
	f := n.form
	if next.withoutLimits() == f.withoutLimits() {
		return next, true, nil // the server stated a limit
	}
	if !n.locked {
		if err := n.lock(ctx); err != nil {
			return f, false, err
		}
		found, _ := n.client.currentForm()
		if found = mergeForms(f, found); found.withoutLimits() != f.withoutLimits() {
			n.unlock()
			return found, true, nil // another call has found a form
		}
	}
	n.client.mu.Lock()
	proven, noGuess := n.client.accepted > 0, n.client.guessingFailed
	n.client.mu.Unlock()
	e, _ := errors.AsType[*StatusError](cause)
	needsConfirmation := next.Format != f.Format || proven || e.Status >= http.StatusInternalServerError
	if needsConfirmation && (!n.confirming || n.confirmed != next) {
		n.confirming, n.confirmed = true, next
		return f, true, nil
	}
	n.confirming = false
	if guess && (proven || noGuess) {
		return f, false, nil
	}
	if next.Format != f.Format || next.NoEffort != f.NoEffort {
		n.cause = cause
	}
	return next, true, nil
}

// succeed records that the server accepted form f. If it accepted other forms
// before, f counts as an exception until that happens several times in a row.
func (n *negotiation) succeed(f form) {
	c := n.client
	c.mu.Lock()
	same := f.withoutLimits() == c.form.withoutLimits()
	switch {
	case same && n.request.Schema != nil:
		c.accepted, c.rejections = c.accepted+1, 0
	case !same && f != n.start && c.accepted > 0:
		c.rejections++
	}
	exception := !same && c.accepted > 0 && c.rejections < rejectionsToSwitch
	c.mu.Unlock()
	if exception {
		f = form{MaxOutput: f.MaxOutput, NoBounds: f.NoBounds, NoLogprobs: f.NoLogprobs}
	}
	if f != n.start {
		c.adoptForm(f, n.cause) // not counted in accepted: one success is no proof
	}
}
