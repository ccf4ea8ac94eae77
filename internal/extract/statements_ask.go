package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

const (
	statementsSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"statement":{"type":"string"}},"required":["sentence_id","statement"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
	wholeSchema      = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"string"}}},"required":["statements"],"additionalProperties":false}`
)

// request asks for the statements of sentences, numbered by their place in ids.
func (w *writer) request(ids []int, try int) (*llm.Request, error) {
	d := prompt.Data{Strict: w.Strict, Again: try > 0, Question: w.question}
	size := 0
	for at, i := range ids {
		d.Sentences = append(d.Sentences, prompt.Item{ID: at, Text: w.sentences[i].Text, Heading: w.headings[i]})
		size += len(w.sentences[i].Text)
	}
	var before []string
	for i := max(0, ids[0]-neighbours); i < ids[0]; i++ {
		before = append(before, w.sentences[i].Text)
	}
	d.Before = strings.Join(before, " ")
	schema := &llm.Schema{
		Name: "statements",
		JSON: json.RawMessage(statementsSchema),
		Accept: func(raw json.RawMessage) error {
			_, err := readStatements(raw, len(ids))
			return err
		},
	}
	return w.render(prompt.Claims, d, schema, size, try)
}

func (w *writer) render(name prompt.Name, d prompt.Data, schema *llm.Schema, size, try int) (*llm.Request, error) {
	text, err := w.Prompts.Render(name, d)
	if err != nil {
		return nil, err
	}
	r := &llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: text.System}, {Role: llm.User, Text: text.User}},
		Schema:    schema,
		Seed:      w.Seed,
		MaxTokens: roomBase + size/bytesPerToken,
		Prompt:    text.Version,
	}
	if try > 0 {
		r.Seed += try
		r.Temperature = again
	}
	return r, nil
}

// statementsOf is what a reply has for each sentence.
func statementsOf(raw json.RawMessage, ids []int) map[int][]string {
	said, err := readStatements(raw, len(ids))
	if err != nil {
		return nil
	}
	out := make(map[int][]string, len(said))
	for at, list := range said {
		out[ids[at]] = list
	}
	return out
}

// readStatements reads a reply on the sentences 0 to n-1: for each that it has
// any for, the statements. A reply with an id that was not asked for numbers
// sentences in its own way, and is an error.
func readStatements(raw json.RawMessage, n int) (map[int][]string, error) {
	var reply struct {
		Statements *[]struct {
			SentenceID json.RawMessage `json:"sentence_id"`
			Statement  *string         `json:"statement"`
		} `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" is not of the shape asked for")
	}
	if reply.Statements == nil {
		return nil, errors.New("it has no \"statements\"")
	}
	out := map[int][]string{}
	for _, s := range *reply.Statements {
		id := llm.Index(s.SentenceID)
		switch {
		case s.SentenceID == nil || s.Statement == nil:
			return nil, errors.New("a statement lacks its text or its sentence's id")
		case id < 0 || id >= n:
			return nil, errors.New("a statement with a sentence_id that was not asked for")
		}
		if text := oneLine(*s.Statement); saysAnything(text) {
			out[id] = append(out[id], text)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it has no statement")
	}
	return out, nil
}

// whole asks for the statements of the answer in one, and once more where there
// are none or where some have what the answer does not say.
func (w *writer) whole(ctx context.Context) error {
	return w.part(ctx, w.answer, len(w.sentences), 0)
}

// part asks for the statements of text, which holds n sentences from the one
// numbered first.
func (w *writer) part(ctx context.Context, text string, n, first int) error {
	var best []statement
	read := false
	var last error
	for try := range statementsTries {
		d := prompt.Data{Strict: w.Strict, Again: try > 0, Question: w.question, Answer: text}
		schema := &llm.Schema{Name: "answer_statements", JSON: json.RawMessage(wholeSchema), Accept: func(raw json.RawMessage) error {
			_, err := readWhole(raw)
			return err
		}}
		r, err := w.render(prompt.RagasClaims, d, schema, len(text), try)
		if err != nil {
			return err
		}
		reply, err := w.Model.Complete(ctx, r)
		if err != nil {
			w.usage = w.usage.Add(llm.UsageOf(err))
			_, unread := errors.AsType[*llm.ParseError](err)
			cut := llm.CutOff(err)
			_, tooLong := errors.AsType[*llm.ContextLengthError](err)
			switch {
			case (cut || tooLong) && n > 1:
				return w.parts(ctx, n, first)
			case unread || cut:
				last = err
				continue
			}
			return err
		}
		w.usage = w.usage.Add(reply.Usage)
		texts, err := readWhole(reply.JSON)
		if err != nil {
			last = err
			continue
		}
		var list []statement
		for _, s := range texts {
			list = append(list, statement{text: s, invented: Invented(s, w.question, w.answer)})
		}
		if !read || len(best) == 0 || len(list) > 0 && !anyInvented(list) {
			best = list
		}
		read = true
		if len(best) > 0 && !anyInvented(best) {
			break
		}
	}
	if !read {
		return fmt.Errorf("no statements in %d tries: %w", statementsTries, last)
	}
	w.loose = append(w.loose, best...)
	return nil
}

// parts asks for each half of n sentences.
func (w *writer) parts(ctx context.Context, n, first int) error {
	half := (n + 1) / 2
	for _, p := range [][2]int{{first, half}, {first + half, n - half}} {
		var texts []string
		for _, c := range w.sentences[p[0] : p[0]+p[1]] {
			texts = append(texts, c.Text)
		}
		if err := w.part(ctx, strings.Join(texts, " "), p[1], p[0]); err != nil {
			return err
		}
	}
	return nil
}

// readWhole reads a list of statements, which may be empty.
func readWhole(raw json.RawMessage) ([]string, error) {
	var reply struct {
		Statements *[]string `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" is not of the shape asked for")
	}
	if reply.Statements == nil {
		return nil, errors.New("it has no \"statements\"")
	}
	out := []string{}
	for _, s := range *reply.Statements {
		if s = oneLine(s); saysAnything(s) {
			out = append(out, s)
		}
	}
	return out, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
