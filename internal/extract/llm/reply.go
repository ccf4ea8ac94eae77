package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/llm"
)

const (
	statementsSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"statement":{"type":"string"}},"required":["sentence_id","statement"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
	wholeSchema      = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"string"}}},"required":["statements"],"additionalProperties":false}`
)

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
