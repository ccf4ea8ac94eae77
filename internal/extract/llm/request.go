package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

const (
	statementsSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"statement":{"type":"string"}},"required":["sentence_id","statement"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
	wholeSchema      = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"string"}}},"required":["statements"],"additionalProperties":false}`
)

// sentencesRequest returns the request for the statements of the given
// sentences. The id of a sentence in the request is its index in ids.
func (w *rewriter) sentencesRequest(ids []int, attempt int) (*llm.Request, error) {
	d := prompt.Data{Strict: w.Strict, Again: attempt > 0, Question: w.question}
	size := 0
	for n, i := range ids {
		d.Sentences = append(d.Sentences, prompt.Item{ID: n, Text: w.sentences[i].Text, Heading: w.headings[i]})
		size += len(w.sentences[i].Text)
	}
	var before []string
	for _, c := range w.sentences[max(0, ids[0]-neighbors):ids[0]] {
		before = append(before, c.Text)
	}
	d.Before = strings.Join(before, " ")
	return w.render(prompt.Claims, d, size, attempt, &llm.Schema{
		Name: "statements",
		JSON: json.RawMessage(statementsSchema),
		Accept: func(raw json.RawMessage) error {
			_, err := parseStatements(raw, len(ids))
			return err
		},
	})
}

// wholeRequest returns the request for the statements of a text.
func (w *rewriter) wholeRequest(text string, attempt int) (*llm.Request, error) {
	d := prompt.Data{Strict: w.Strict, Again: attempt > 0, Question: w.question, Answer: text}
	return w.render(prompt.RagasClaims, d, len(text), attempt, &llm.Schema{
		Name: "answer_statements",
		JSON: json.RawMessage(wholeSchema),
		Accept: func(raw json.RawMessage) error {
			_, err := parseWhole(raw)
			return err
		},
	})
}

// render builds a request from a prompt that contains size bytes of text.
func (w *rewriter) render(name prompt.Name, d prompt.Data, size, attempt int, schema *llm.Schema) (*llm.Request, error) {
	text, err := w.Prompts.Render(name, d)
	if err != nil {
		return nil, err
	}
	r := &llm.Request{
		Messages:  llm.Messages(text.System, text.User),
		Schema:    schema,
		MaxTokens: baseReplyTokens + size/bytesPerToken,
		Prompt:    text.Version,
	}
	r.Vary(attempt)
	return r, nil
}

// Errors of a reply with statements. Their text is part of the result format.
var (
	ErrUnknownID    = errors.New("a statement with a sentence_id that was not asked for")
	ErrNoStatements = errors.New("it has no statement")
)

// Statements parses the list of statements in a reply.
func Statements[T any](raw json.RawMessage) ([]T, error) {
	var reply struct {
		Statements *[]T `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" is not of the shape asked for")
	}
	if reply.Statements == nil {
		return nil, errors.New("it has no \"statements\"")
	}
	return *reply.Statements, nil
}

// parseStatements parses a reply about sentences 0 to n-1 and returns the
// statements by sentence. An unknown id is an error: the model has numbered the
// sentences differently, so none of its ids can be trusted.
func parseStatements(raw json.RawMessage, n int) (map[int][]string, error) {
	statements, err := Statements[struct {
		SentenceID json.RawMessage `json:"sentence_id"`
		Statement  *string         `json:"statement"`
	}](raw)
	if err != nil {
		return nil, err
	}
	out := map[int][]string{}
	for _, s := range statements {
		id := llm.ParseIndex(s.SentenceID)
		switch {
		case s.SentenceID == nil || s.Statement == nil:
			return nil, errors.New("a statement lacks its text or its sentence's id")
		case id < 0 || id >= n:
			return nil, ErrUnknownID
		}
		if text := oneLine(*s.Statement); HasWords(text) {
			out[id] = append(out[id], text)
		}
	}
	if len(out) == 0 {
		return nil, ErrNoStatements
	}
	return out, nil
}

// parseWhole parses a list of statements, which may be empty.
func parseWhole(raw json.RawMessage) ([]string, error) {
	statements, err := Statements[string](raw)
	var out []string
	for _, s := range statements {
		if s = oneLine(s); HasWords(s) {
			out = append(out, s)
		}
	}
	return out, err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// HasWords reports whether s contains a letter or a number.
func HasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
