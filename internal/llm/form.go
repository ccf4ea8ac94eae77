package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// A format is how a server is asked for JSON.
type format int

// In the order in which they are tried.
const (
	bySchema format = iota // response_format json_schema, strict
	byMode                 // response_format json_object, the schema in the prompt
	byPrompt               // the schema in the prompt alone
)

// A tokenParam is the parameter that bounds a reply.
type tokenParam int

const (
	maxTokens tokenParam = iota
	maxCompletionTokens
	noMaxTokens
)

// A form is what a server and its model take of the parameters.
type form struct {
	format         format
	tokenParam     tokenParam
	maxOutput      int  // the largest room that it grants; 0 for any
	schemaInPrompt bool // the schema stands in the prompt too: the server ignored it
	noTemperature  bool
	noSeed         bool
	noSystem       bool // what a system would say goes in front of the user's message
	noBounds       bool // no bounds in a schema
}

// brief says that a request goes out with its brief schema. A small model that
// never closes a string does so only where the schema makes it.
func (f form) bounded(r *Request) bool {
	return r.Bounded && r.Schema != nil && r.Schema.Bounded != nil && f.format == bySchema && !f.noBounds
}

// schema is the schema of a request as it goes out.
func (f form) schema(r *Request) json.RawMessage {
	if f.bounded(r) {
		return r.Schema.Bounded
	}
	return r.Schema.JSON
}

// outputTokens is the limit that r is sent with; 0 if none is.
func (f form) outputTokens(r *Request) int {
	switch {
	case f.tokenParam == noMaxTokens:
		return 0
	case f.maxOutput > 0:
		return min(r.MaxTokens, f.maxOutput)
	}
	return r.MaxTokens
}

// refusesForm says that a server did not take a request as it was put.
func refusesForm(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// adapt finds a form that a server that refused f may take. guess is a guess: the
// server did not say what it minded.
func adapt(f form, schema bool, err error) (next form, guess, ok bool) {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		f.tokenParam = maxCompletionTokens
		return f, false, true
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		f.noTemperature = true
		return f, false, true
	}
	e, is := errors.AsType[*StatusError](err)
	if !is || !negotiable(e.Status) {
		return f, false, false
	}
	said := strings.ToLower(e.Param)
	if said == "" || said == "prompt" {
		said = strings.ToLower(e.Message + " " + e.Code)
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	if e.Status == http.StatusInternalServerError && !has("response_format", "json_schema", "json_object", "grammar", "guided_json", "tools",
		"max_tokens", "max_completion_tokens", "temperature") {
		return f, false, false // it may be any fault that passes
	}
	limit := namedLimit(e.Message)
	switch {
	case has("max_tokens", "max_completion_tokens") && limit > 0 && (f.maxOutput == 0 || limit < f.maxOutput):
		f.maxOutput = limit
	case has("max_tokens", "max_completion_tokens") && f.tokenParam == maxTokens && !has("too large", "at least"):
		f.tokenParam = maxCompletionTokens
	case has("max_completion_tokens") && f.tokenParam == maxCompletionTokens && !has("too large", "at least"):
		f.tokenParam = noMaxTokens
	case has("temperature") && !f.noTemperature:
		f.noTemperature = true
	case has("seed") && !f.noSeed:
		f.noSeed = true
	case has("system") && has("role") && !f.noSystem:
		f.noSystem = true
	case schema && f.format < byPrompt && has("response_format", "response format", "json", "schema", "structured", "grammar", "guided", "tools"):
		f.format++
	case schema && f.format < byPrompt && e.Status != http.StatusNotFound && e.Status != http.StatusInternalServerError && !has("max_tokens", "max_completion_tokens"):
		f.format++
		return f, true, true
	default:
		return f, false, false
	}
	return f, false, true
}

// namedLimit finds the largest limit of output tokens that a refusal grants; 0 if
// it names none.
func namedLimit(message string) int {
	if n := firstNumber(message, `range[^.]{0,40}? to ([\d,]+) \(exclusive\)`); n > 0 {
		return n - 1
	}
	return firstNumber(message,
		`at most ([\d,]+) (?:completion|output) tokens`,
		`max_(?:completion_)?tokens.{0,3} must be (?:less than or equal to|at most|<=) [^\d]{0,3}([\d,]+)`,
		`max_tokens: [\d,]+ > ([\d,]+)`,
		`range of max_(?:completion_)?tokens is \[\d+, ?([\d,]+)\]`,
		`supports? (?:at most|up to|a maximum of) ([\d,]+)`,
		`maximum (?:allowed |value )?(?:number )?(?:of )?(?:completion |output )?(?:tokens )?(?:is|of|allowed is) ([\d,]+)`,
	)
}

func negotiable(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity,
		http.StatusUnsupportedMediaType, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return false
}

// classify turns a refusal that is about the row, and not about the request's
// form or the server's state, into the error that says so. room is what the model
// would have left for a reply where only the reply is too long for its window.
func classify(err error) (out error, room int) { //nolint:staticcheck // what it is about comes first
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.Status < 400 {
		return err, 0
	}
	said := strings.ToLower(e.Message + " " + e.Code)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests:
		return err, 0
	case has("content_filter", "content management policy", "responsibleaipolicy", "content_policy", "moderation", "flagged"):
		return &RefusalError{Reason: "content_filter", Message: e.Message}, 0
	case e.Status == http.StatusRequestEntityTooLarge,
		has("context_length", "context length", "exceed_context_size", "context size", "context window",
			"prompt is too long", "input is too long", "too many input tokens", "reduce the length",
			"maximum number of tokens", "maximum input length"):
		limit := firstNumber(e.body+" "+e.Message, `"n_ctx": ?([\d]+)`, `context (?:length|size|window)[^\d]{0,24}([\d,]+)`, `([\d,]+) maximum`, `tokens allowed \(?([\d,]+)`, `maximum input length is ([\d,]+)`, `([\d,]+) tokens? context`)
		prompt := firstNumber(e.Message, `([\d,]+) in the messages`, `([\d,]+) input tokens`)
		if limit > 0 && prompt > 0 {
			room = max(0, limit-prompt-8)
		}
		return &ContextLengthError{Limit: limit, Message: e.Message}, room
	}
	return err, 0
}

// firstNumber is what the first pattern that matches captures; 0 for none.
func firstNumber(s string, patterns ...string) int {
	for _, p := range patterns {
		if m := regexp.MustCompile(`(?i)` + p).FindStringSubmatch(s); m != nil {
			if n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", "")); err == nil {
				return n
			}
		}
	}
	return 0
}
