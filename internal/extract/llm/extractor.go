// Package llm extracts claims with a language model that rewrites the sentences
// of an answer as self-contained statements.
package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// An Extractor uses a language model to rewrite each sentence of an answer as statements that can
// be understood without the rest of the answer. Statements are in the language of the answer.
//
// Sentences that [extract.Sentences] skips are not sent to the model, so an
// answer without claims needs no request. If the model returns no statement for
// a sentence in two attempts, the sentence becomes a claim verbatim.
type Extractor struct {
	Model   llm.Completer // required
	Prompts *prompt.Set   // required
	Lang    string        // language of the answers, such as "en", or "" if unknown
	Strict  bool          // ask for explicit statements only, no inference
	// Whole sends the answer as a single text, as Ragas does, but without skipped
	// sentences other than headings and lead-ins. The statements are not mapped to
	// sentences, and there may be none.
	Whole bool
}

const (
	maxSentences     = 20   // sentences per request
	maxSentenceBytes = 8000 // total sentence bytes per request, to bound the reply
	maxAttempts      = 2    // requests for a sentence
	neighbors        = 2    // preceding sentences sent for context
	baseReplyTokens  = 400  // token limit for a reply without statements
	bytesPerToken    = 2    // low estimate of sentence bytes per reply token
)

// Extract returns the statements of answer as claims in the order of their sentences. A statement
// equal to its sentence is a verbatim claim with offsets in the answer. Extract returns errors of
// x.Model unchanged, such as *llm.RefusalError. Usage is set even if there is an error.
func (x Extractor) Extract(ctx context.Context, question, answer string) (extract.Extraction, error) {
	e, err := extract.Sentences{Lang: x.Lang}.Extract(ctx, question, answer)
	if err != nil || len(e.Claims) == 0 {
		return e, err
	}
	w := &rewriter{Extractor: x, question: question, answer: answer, sentences: e.Claims}
	if x.Whole {
		w.answer = withoutSkipped(answer, e.Skipped)
		err = w.rewriteWhole(ctx, w.answer, w.sentences)
	} else {
		w.headings = headings(e)
		w.statements = make([][]statement, len(e.Claims))
		err = w.rewriteSentences(ctx)
	}
	if err != nil {
		return extract.Extraction{Usage: w.usage}, err
	}
	out := extract.Extraction{Claims: w.claims(), Skipped: e.Skipped, Downgraded: w.downgraded, Usage: w.usage}
	if len(out.Claims) == 0 {
		for _, c := range e.Claims {
			out.Skip(extract.Skipped{Kind: extract.Unstated, Text: c.Text, Start: c.Start, End: c.End})
		}
	}
	return out, nil
}

// A statement is a sentence or part of a sentence as rewritten by the model.
type statement struct {
	text     string
	invented bool
}

// statements returns the statements with texts, which are invented if they have other content than
// sources.
func statements(texts []string, sources ...string) []statement {
	list, known := make([]statement, len(texts)), NewVocabulary(sources...)
	for i, text := range texts {
		list[i] = statement{text: text, invented: known.Lacks(text)}
	}
	return list
}

func anyInvented(list []statement) bool {
	return slices.ContainsFunc(list, func(s statement) bool { return s.invented })
}

// A rewriter holds the state of rewriting one answer.
type rewriter struct {
	Extractor
	question, answer string
	sentences        []extract.Claim
	headings         []string      // heading or lead-in of each sentence
	statements       [][]statement // statements of each sentence
	unmapped         []statement   // statements of the whole answer
	downgraded       bool
	usage            usage.Usage
}

// rewriteSentences requests the statements of all sentences.
func (w *rewriter) rewriteSentences(ctx context.Context) error {
	var parts [][]int
	var ids []int
	size := 0
	for i, c := range w.sentences {
		if size += len(c.Text); len(ids) == maxSentences || len(ids) > 0 && size > maxSentenceBytes {
			parts, ids, size = append(parts, ids), nil, len(c.Text)
		}
		ids = append(ids, i)
	}
	return llm.ForEach(slices.Values(append(parts, ids)), func(ids []int) error { return w.rewrite(ctx, ids) })
}

// rewrite requests the statements of the given sentences. It retries sentences
// with missing or invented statements once.
func (w *rewriter) rewrite(ctx context.Context, ids []int) error {
	return AskInParts(ids, func(ids []int, attempt int) (again []int, err error) {
		r, err := w.sentencesRequest(ids, attempt)
		if err != nil {
			return nil, err
		}
		reply, err := w.complete(ctx, r)
		if err != nil {
			return nil, err
		}
		if texts, err := parseStatements(reply, len(ids)); err == nil {
			w.keep(texts, ids)
		}
		return slices.DeleteFunc(slices.Clone(ids), func(i int) bool {
			return len(w.statements[i]) > 0 && !anyInvented(w.statements[i])
		}), nil
	})
}

// AskInParts calls ask in up to two attempts, the second with the ids that the first
// returns, or with all of them after an unusable reply. If the request or its reply is too
// long, it does so for each half of the ids.
func AskInParts(ids []int, ask func(ids []int, attempt int) (again []int, err error)) error {
	for attempt := 0; attempt < maxAttempts && len(ids) > 0; attempt++ {
		again, err := ask(ids, attempt)
		switch {
		case err == nil:
			ids = again
		case llm.IsTooLong(err) && len(ids) > 1:
			return llm.SplitInHalf(ids, func(half []int) error { return AskInParts(half, ask) })
		case !llm.IsUnusable(err):
			return err
		}
	}
	return nil
}

// sentencesRequest returns the request for the statements of the given
// sentences. The id of a sentence in the request is its index in ids.
func (w *rewriter) sentencesRequest(ids []int, attempt int) (*llm.Request, error) {
	var d prompt.Data
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
	return w.request(prompt.Claims, d, size, attempt, &llm.Schema{
		Name: "statements",
		JSON: json.RawMessage(statementsSchema),
		Accept: func(raw json.RawMessage) error {
			_, err := parseStatements(raw, len(ids))
			return err
		},
	})
}

// request returns a request with a prompt that contains size bytes of text.
func (w *rewriter) request(name prompt.Name, d prompt.Data, size, attempt int, schema *llm.Schema) (*llm.Request, error) {
	d.Strict, d.Again, d.Question = w.Strict, attempt > 0, w.question
	r, err := Request(w.Prompts, name, d, schema, baseReplyTokens+size/bytesPerToken)
	if err == nil {
		r.Vary(attempt)
	}
	return r, err
}

// Request returns a request with a prompt and the schema of its reply.
func Request(prompts *prompt.Set, name prompt.Name, d prompt.Data, schema *llm.Schema, maxTokens int) (*llm.Request, error) {
	text, err := prompts.Render(name, d)
	if err != nil {
		return nil, err
	}
	return &llm.Request{Messages: llm.Messages(text.System, text.User), Schema: schema, MaxTokens: maxTokens, Prompt: text.Version}, nil
}

// complete sends r and returns the JSON text of the reply.
func (w *rewriter) complete(ctx context.Context, r *llm.Request) ([]byte, error) {
	reply, err := w.Model.Complete(ctx, r)
	if err != nil {
		w.usage = w.usage.Add(llm.UsageOf(err))
		return nil, err
	}
	w.usage, w.downgraded = w.usage.Add(reply.Usage), w.downgraded || reply.Downgraded
	return reply.JSON, nil
}

// keep stores the statements of a reply. Statements of a second attempt replace
// earlier ones only if none of them is invented.
func (w *rewriter) keep(reply map[int][]string, ids []int) {
	for n, texts := range reply {
		i := ids[n]
		sources := []string{w.question, w.headings[i]} // texts whose content a statement may repeat
		for _, c := range w.sentences[max(0, i-neighbors):min(len(w.sentences), i+2)] {
			sources = append(sources, c.Text)
		}
		list := statements(texts, sources...)
		if len(w.statements[i]) == 0 || !anyInvented(list) {
			w.statements[i] = list
		}
	}
}

// rewriteWhole requests the statements of text, which consists of the given
// sentences. It retries once if statements are missing or invented.
func (w *rewriter) rewriteWhole(ctx context.Context, text string, sentences []extract.Claim) error {
	var best []statement // nil until a reply is parsed
	var parseErr error
	for attempt := range maxAttempts {
		r, err := w.request(prompt.RagasClaims, prompt.Data{Answer: text}, len(text), attempt, &llm.Schema{
			Name: "answer_statements",
			JSON: json.RawMessage(wholeSchema),
			Accept: func(raw json.RawMessage) error {
				_, err := parseWhole(raw)
				return err
			},
		})
		if err != nil {
			return err
		}
		reply, err := w.complete(ctx, r)
		var texts []string
		switch {
		case err == nil:
			texts, err = parseWhole(reply)
		case llm.IsTooLong(err) && len(sentences) > 1:
			return llm.SplitInHalf(sentences, func(half []extract.Claim) error {
				var texts []string
				for _, c := range half {
					texts = append(texts, c.Text)
				}
				return w.rewriteWhole(ctx, strings.Join(texts, " "), half)
			})
		case !llm.IsUnusable(err):
			return err
		}
		if err != nil {
			parseErr = err
			continue
		}
		list := statements(texts, w.question, w.answer)
		if len(best) == 0 || len(list) > 0 && !anyInvented(list) {
			best = list
		}
		if len(best) > 0 && !anyInvented(best) {
			break
		}
	}
	if best == nil {
		return fmt.Errorf("no statements in %d tries: %w", maxAttempts, parseErr)
	}
	w.unmapped = append(w.unmapped, best...)
	return nil
}

// withoutSkipped returns answer without the skipped sentences, except for headings and
// lead-ins, which claims may need.
func withoutSkipped(answer string, skipped []extract.Skipped) string {
	runes, end := []rune(answer), 0
	var kept []rune
	for _, s := range skipped {
		if s.Kind != extract.Heading && s.Kind != extract.LeadIn {
			kept = append(kept, runes[end:max(end, s.Start)]...)
			end = max(end, s.End)
		}
	}
	if end == 0 {
		return answer
	}
	return strings.TrimSpace(string(append(kept, runes[end:]...)))
}

// claims returns all statements as numbered claims. A sentence without
// statements becomes a claim itself.
func (w *rewriter) claims() []extract.Claim {
	var out []extract.Claim
	add := func(c extract.Claim) {
		c.ID = len(out)
		out = append(out, c)
	}
	for _, s := range w.unmapped {
		add(extract.Claim{Text: s.text, Start: -1, End: -1, Invented: s.invented})
	}
	for i, list := range w.statements {
		sentence := w.sentences[i]
		if len(list) == 0 {
			list = []statement{{text: sentence.Text}}
		}
		for _, s := range list {
			if s.text == sentence.Text {
				add(sentence)
				continue
			}
			add(extract.Claim{
				Text: s.text, Start: -1, End: -1, From: &extract.Span{Start: sentence.Start, End: sentence.End},
				Invented: s.invented, Citations: sentence.Citations,
			})
		}
	}
	return out
}

// headings returns the nearest preceding heading or lead-in of each claim, or "".
func headings(e extract.Extraction) []string {
	out := make([]string, len(e.Claims))
	s, heading := 0, ""
	for i, c := range e.Claims {
		for ; s < len(e.Skipped) && e.Skipped[s].Start < c.Start; s++ {
			if k := e.Skipped[s].Kind; k == extract.Heading || k == extract.LeadIn {
				heading = strings.TrimSpace(e.Skipped[s].Text)
			}
		}
		out[i] = heading
	}
	return out
}
