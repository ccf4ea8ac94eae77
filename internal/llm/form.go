package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// A format is a method of requesting JSON.
type format int

// Formats in the order in which they are tried.
const (
	jsonSchema   format = iota // response_format json_schema, strict
	jsonMode                   // response_format json_object, with the schema in the prompt
	jsonInPrompt               // only the schema in the prompt
)

func (f format) String() string {
	return [...]string{"json_schema", "json_object", "prompt"}[f]
}

// A Downgrade is a change to a less strict format of JSON requests, after the
// server rejected the stricter one twice.
type Downgrade struct {
	From, To string // json_schema, json_object or prompt
	Status   int    // HTTP status of the rejection
}

// A tokenParam selects the request parameter for the output token limit.
type tokenParam int

const (
	maxTokens tokenParam = iota
	maxCompletionTokens
	noMaxTokens
)

// A form specifies the request parameters that a server and its model support. It is
// part of a batchState.
type form struct {
	Format        format     `json:"format"`
	TokenParam    tokenParam `json:"token_param"`
	MaxOutput     int        `json:"max_output"` // largest accepted output token limit, or 0 if unlimited
	NoTemperature bool       `json:"no_temperature"`
	NoSeed        bool       `json:"no_seed"`
	NoSystem      bool       `json:"no_system"`             // prepend the system message to the user message
	NoBounds      bool       `json:"no_bounds"`             // do not use bounded schemas
	NoEffort      bool       `json:"no_effort"`             // do not send a reasoning effort
	NoLogprobs    bool       `json:"no_logprobs,omitempty"` // do not request log probabilities
}

// startForm returns the form of the first request, which already fits models
// whose name is known, and those that go-openai sends nothing else to.
func startForm(c Config) form {
	f := form{NoEffort: c.ReasoningEffort == ""}
	rejected := openai.NewReasoningValidator().Validate(openai.ChatCompletionRequest{Model: c.Model, MaxTokens: 1}) //nolint:staticcheck // to test whether it is rejected
	if family, _ := familyOf(c.Model); family.openAI || rejected != nil {
		f.TokenParam, f.NoTemperature, f.NoLogprobs = maxCompletionTokens, true, true
	}
	return f
}

// mergeForms combines the restrictions of both forms.
func mergeForms(a, b form) form {
	a.Format, a.TokenParam = max(a.Format, b.Format), max(a.TokenParam, b.TokenParam)
	if b.MaxOutput > 0 && (a.MaxOutput == 0 || b.MaxOutput < a.MaxOutput) {
		a.MaxOutput = b.MaxOutput
	}
	a.NoTemperature = a.NoTemperature || b.NoTemperature
	a.NoSeed = a.NoSeed || b.NoSeed
	a.NoSystem = a.NoSystem || b.NoSystem
	a.NoBounds = a.NoBounds || b.NoBounds
	a.NoEffort = a.NoEffort || b.NoEffort
	a.NoLogprobs = a.NoLogprobs || b.NoLogprobs
	return a
}

// withoutLimits returns f without limits that servers state explicitly.
func (f form) withoutLimits() form {
	f.MaxOutput, f.NoBounds, f.NoLogprobs = 0, false, false
	return f
}

// bounded reports whether r is sent with its bounded schema, which stops
// runaway generation such as a string that a small model never closes.
func (f form) bounded(r *Request) bool {
	return r.Bounded && r.Schema != nil && r.Schema.Bounded != nil && f.Format == jsonSchema && !f.NoBounds
}

// schema returns the schema to send with r.
func (f form) schema(r *Request) json.RawMessage {
	if f.bounded(r) {
		return r.Schema.Bounded
	}
	return r.Schema.JSON
}

// outputTokens returns the output token limit to send with r, or 0 for none.
func (f form) outputTokens(r *Request) int {
	switch {
	case f.TokenParam == noMaxTokens:
		return 0
	case f.MaxOutput > 0:
		return min(r.MaxTokens, f.MaxOutput)
	}
	return r.MaxTokens
}

// logprobs returns the number of alternatives to request with r.
func (f form) logprobs(r *Request) int {
	if f.NoLogprobs {
		return 0
	}
	return min(r.Logprobs, maxAlternatives)
}

// isFormRejection reports whether the server rejected the form of a request.
func isFormRejection(err error) bool {
	e, ok := errors.AsType[*StatusError](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// adaptForm returns a form that may work after the server rejected r in form f with err,
// which names the parameter.
func adaptForm(f form, r *Request, err error) (next form, ok bool) {
	e, isStatus := errors.AsType[*StatusError](err)
	if !isStatus || !mayRejectForm(e.Status) || isQuotaSpent(e) {
		return f, false
	}
	message := strings.ToLower(e.Param)
	if message == "" || message == "prompt" {
		message = strings.ToLower(e.Message + " " + e.Code)
	}
	has := func(words ...string) bool { return containsAny(message, words) }
	if e.Status == http.StatusInternalServerError && !has("response_format", "json_schema", "json_object", "grammar", "guided_json", "tools",
		"max_tokens", "max_completion_tokens", "temperature", "reasoning_effort", "logprob", "out of range float") {
		return f, false // possibly a transient fault
	}
	limit, namesLimit := limitInMessage(e.Message), has("max_tokens", "max_completion_tokens")
	switch {
	case f.bounded(r) && isFormRejection(err): // some servers support schemas but not bounds in them
		f.NoBounds = true
	case !f.NoEffort && has("reasoning_effort", "reasoning effort", "reasoning.effort", "thinking", "think value"):
		f.NoEffort = true
	case namesLimit && limit > 0 && (f.MaxOutput == 0 || limit < f.MaxOutput):
		f.MaxOutput = limit
	case namesLimit && f.TokenParam == maxTokens && !has("too large", "at least"):
		f.TokenParam = maxCompletionTokens
	case has("max_completion_tokens") && f.TokenParam == maxCompletionTokens && !has("too large", "at least"):
		f.TokenParam = noMaxTokens
	case f.logprobs(r) > 0 && has("logprob", "log_prob", "out of range float"): // NaN, which is not JSON
		f.NoLogprobs = true
	case !f.NoTemperature && has("temperature"):
		f.NoTemperature = true
	case !f.NoSeed && has("seed"):
		f.NoSeed = true
	case !f.NoSystem && has("system") && has("role"):
		f.NoSystem = true
	case r.Schema != nil && f.Format < jsonInPrompt && has("response_format", "response format", "json", "schema", "structured", "grammar", "guided", "tools"):
		f.Format++
	default:
		return f, false
	}
	return f, true
}

func containsAny(s string, substrs []string) bool {
	return slices.ContainsFunc(substrs, func(w string) bool { return strings.Contains(s, w) })
}

// limitInMessage returns the largest output token limit that an error message
// allows, or 0 if it mentions none.
func limitInMessage(message string) int {
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

// mayRejectForm reports whether an HTTP status may reject the form of a request.
func mayRejectForm(status int) bool {
	return slices.Contains([]int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity,
		http.StatusUnsupportedMediaType, http.StatusInternalServerError, http.StatusNotImplemented,
	}, status)
}

// classify converts a StatusError about a single row into a more specific
// error. Other errors are returned unchanged.
func classify(err error) error {
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.Status < 400 {
		return err
	}
	message := strings.ToLower(e.Message + " " + e.Code)
	has := func(words ...string) bool { return containsAny(message, words) }
	if limit, requested, ok := tooLargeRequest(e); ok {
		return &ContextLengthError{Limit: limit, Message: e.Message, PerMinute: true, requested: requested}
	}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests:
		return err
	case has("content_filter", "content management policy", "responsibleaipolicy", "content_policy", "moderation", "flagged"):
		return &RefusalError{Reason: "content_filter", Message: e.Message}
	case e.Status == http.StatusRequestEntityTooLarge,
		has("context_length", "context length", "exceed_context_size", "context size", "context window",
			"prompt is too long", "input is too long", "too many input tokens", "reduce the length",
			"maximum number of tokens", "maximum input length"):
		limit := firstNumber(e.body+" "+e.Message, `"n_ctx": ?([\d]+)`, `context (?:length|size|window)[^\d]{0,24}([\d,]+)`, `([\d,]+) maximum`, `tokens allowed \(?([\d,]+)`, `maximum input length is ([\d,]+)`, `([\d,]+) tokens? context`)
		prompt := firstNumber(e.Message, `([\d,]+) in the messages`, `([\d,]+) input tokens`)
		available := 0
		if limit > 0 && prompt > 0 {
			available = max(0, limit-prompt-8)
		}
		return &ContextLengthError{Limit: limit, Message: e.Message, available: available}
	}
	return err
}

// firstNumber returns the first capture group of the first matching pattern, or 0.
func firstNumber(s string, patterns ...string) int {
	for _, p := range patterns {
		if m := regexp.MustCompile(`(?i)` + p).FindStringSubmatch(s); m != nil {
			if n := atoi(m[1]); n > 0 {
				return n
			}
		}
	}
	return 0
}

// A family describes models that reason before they answer.
type family struct {
	pattern string // regular expression for a part of the name, between separators
	except  string // names that match pattern but do not reason; may be empty
	openAI  bool   // wants max_completion_tokens, and rejects a temperature other than 1
}

// families returns the model families that are known to reason, according to
// the documentation of their vendors.
func families() []family {
	return []family{
		{pattern: `o[134]|gpt-?[5-9]([.-][0-9]+)?|codex`, except: `chat`, openAI: true},
		{pattern: `gpt-oss`},
		{pattern: `deepseek[.-]?r[0-9]|r1|r1-[0-9]+|reasoner|reasoning`, except: `non-reasoning`},
		{pattern: `qwen-?3([.][0-9]+)?`, except: `instruct|coder|embedding|non-thinking`},
		{pattern: `qwq|qvq|magistral|thinking|thinker|exaone-deep`, except: `non-thinking`},
		{pattern: `gemini-(2[.]5|[3-9]([.][0-9]+)?)-(pro|flash)`, except: `lite`},
		{pattern: `grok-(3-mini|4)|glm-(4[.][5-9]|[5-9])|minimax-m[1-9]|smollm3`, except: `non-reasoning`},
	}
}

// familyOf returns the family of a model whose name is known to reason. It recognizes names with
// prefixes and suffixes, such as openai/gpt-5-mini, us.deepseek.r1-v1:0 and qwen3:4b.
func familyOf(model string) (f family, ok bool) {
	name := strings.ToLower(model)
	for _, f := range families() {
		if matchesPart(name, f.pattern) && (f.except == "" || !matchesPart(name, f.except)) {
			return f, true
		}
	}
	return family{}, false
}

// answersDirectly reports whether the name of a model is of a family that does not reason.
func answersDirectly(model string) bool {
	return matchesPart(strings.ToLower(model), `gpt-(3|4|4o|4[.][0-9]+|35)|chatgpt(-4o)?|claude-[23]|llama-?[1-4]?|mi[sx]tral|gemma-?[1-3]?|command-r|phi-?[1-4]`)
}

// matchesPart reports whether a part of a model name matches pattern. Parts are
// separated by other characters than letters and digits.
func matchesPart(name, pattern string) bool {
	return regexp.MustCompile(`(^|[^a-z0-9])(` + pattern + `)([^a-z0-9]|$)`).MatchString(name)
}

// Efforts returns the published values of the reasoning_effort parameter, from
// the lowest. No model accepts all of them.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// typicalReasoning returns the assumed reasoning tokens per request of a
// reasoning model with an effort, or with its default effort if that is empty.
func typicalReasoning(effort string) int {
	tokens, ok := map[string]int{"none": 0, "minimal": 100, "low": 500, "high": 4000, "xhigh": 8000, "max": 8000}[effort]
	if !ok {
		return 1500
	}
	return tokens
}
