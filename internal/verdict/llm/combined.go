package llm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	bytesPerStatement      = 100 // typical length of a sentence with one statement
	statementsPerSentence  = 8   // maximum in bounded schemas
	checkedStatementSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"text":{"type":"string"},"reasoning":{"type":"string"},"chunk_ids":{"type":"array","items":{"type":"integer"}},"is_supported":{"type":"boolean"}},"required":["sentence_id","text","reasoning","chunk_ids","is_supported"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
)

// A Combined extracts and judges the claims of an answer in one request, as rag_evals does. It does
// not distinguish contradicted claims from those that are not mentioned.
type Combined struct {
	judge *Judge
	lang  string
}

// NewCombined returns a Combined for answers in language lang, which may be
// empty if unknown. opts must have the default Style and Votes.
func NewCombined(opts Options, lang string) *Combined { return &Combined{New(opts), lang} }

// Evaluate returns the claims of answer, in sentence order, and a verdict for each. It excludes
// sentences without claims first, so an answer without claims costs nothing. If the model returns
// no statement for a sentence in two attempts, the sentence itself becomes a claim, with a verdict
// as from a Judge.
//
// If the contexts are too long for one request, they are judged in groups. The first group is sent
// with the sentences; claims that it does not support are judged against the other groups. A long
// answer is split. The errors are those of [Judge.Judge]. The total usage is that of both results,
// even if there is an error.
func (c *Combined) Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error) {
	e, err := extract.Sentences{Lang: c.lang}.Extract(ctx, question, answer)
	if err == nil {
		e, err = e.ClaimAssertions(ctx, question, answer, contexts)
	}
	if err != nil || len(e.Claims) == 0 {
		return e, verdict.Judgement{}, err
	}
	r := &combinedRowJudge{
		rowJudge:   rowJudge{judge: c.judge, task: verdict.Task{Question: question, Contexts: contexts}},
		sentences:  e.Claims,
		statements: make([][]checkedStatement, len(e.Claims)),
		groups:     [][]piece{wholeChunks(contexts)},
	}
	texts := []string{question}
	for i := range e.Claims {
		texts = append(texts, e.Claims[i].WithLead())
	}
	r.known = extractllm.NewVocabulary(texts...)
	err = r.evaluate(ctx)
	j := verdict.Judgement{Usage: r.usage}
	if err != nil {
		return extract.Extraction{}, j, err
	}
	if len(r.groups) > 1 {
		r.mark(verdict.MarkGrouped)
	}
	e.Claims, j.Marks = r.task.Claims, r.marks
	j.Verdicts = c.judge.tallyAll([][]finding{r.findings}, e.Claims)
	return e, j, nil
}

// A combinedRowJudge is a rowJudge that also extracts claims.
type combinedRowJudge struct {
	rowJudge
	sentences  []extract.Claim
	statements [][]checkedStatement  // by sentence
	groups     [][]piece             // the first group is sent with the sentences
	known      extractllm.Vocabulary // of the question and the sentences
}

// A checkedStatement is an extracted claim with its result for the first group of chunks.
type checkedStatement struct {
	text    string
	finding finding
}

func (r *combinedRowJudge) evaluate(ctx context.Context) error {
	ids := indexes(len(r.sentences))
	if err := r.fitFirstGroup(ids); err != nil {
		return err
	}
	for part := range slices.Chunk(ids, claimsPerCall) {
		if err := r.askStatements(ctx, part); err != nil {
			return err
		}
	}
	for i, sentence := range r.sentences {
		list := r.statements[i]
		if list == nil {
			list = []checkedStatement{{text: sentence.Text}}
		}
		for _, s := range list {
			r.task.Claims, r.findings = append(r.task.Claims, r.claim(i, s.text)), append(r.findings, s.finding)
		}
	}
	for g, group := range r.groups {
		if len(group) == 0 { // there are no contexts
			break
		}
		var undecided []int
		for i, f := range r.findings {
			if !f.known || g > 0 && f.score < r.judge.Threshold() {
				undecided = append(undecided, i)
			}
		}
		for part := range slices.Chunk(undecided, claimsPerCall) {
			if err := r.judgeGroup(ctx, group, part); err != nil {
				return err
			}
		}
	}
	for i := range r.findings {
		if r.findings[i].label == verdict.Contradicted { // not distinguished by the combined request
			r.findings[i].label, r.findings[i].evidence = verdict.NotMentioned, nil
		}
	}
	return nil
}

// fitFirstGroup groups the chunks so that the first group fits into the context
// window together with the sentences of one request.
func (r *combinedRowJudge) fitFirstGroup(ids []int) error {
	if r.window, _ = r.judge.window(); r.window == 0 {
		return nil
	}
	req, err := r.statementsRequest(nil, ids[:min(len(ids), claimsPerCall)], 0)
	if err != nil {
		return err
	}
	if groups := pack(r.groups[0], max(r.judge.room(req), minWindow), r.judge.size); len(groups) > 0 {
		r.groups = groups
	}
	return nil
}

// claim converts a statement of sentence i to a claim, which is verbatim if the
// statement equals the sentence.
func (r *combinedRowJudge) claim(i int, text string) extract.Claim {
	sentence := r.sentences[i]
	if text == sentence.Text || text == sentence.WithLead() {
		sentence.ID = len(r.findings)
		return sentence
	}
	return extract.Claim{
		ID: len(r.findings), Text: text, Start: -1, End: -1,
		From: &extract.Span{Start: sentence.Start, End: sentence.End}, Invented: r.known.Lacks(text),
		Citations: sentence.Citations,
	}
}

// askStatements gets the statements of sentences with their results for the
// first group. It retries sentences without statements once.
func (r *combinedRowJudge) askStatements(ctx context.Context, ids []int) error {
	return extractllm.AskInParts(ids, func(ids []int, attempt int) (again []int, err error) {
		req, err := r.statementsRequest(r.groups[0], ids, attempt)
		if err != nil {
			return nil, err
		}
		reply, err := r.complete(ctx, req)
		if _, tooLong := errors.AsType[*llm.ContextLengthError](err); tooLong {
			if halves := halve(r.groups[0]); halves != nil {
				r.groups = append(halves, r.groups[1:]...)
				return nil, r.askStatements(ctx, ids)
			}
		}
		if err != nil {
			return nil, err
		}
		statements, err := readStatements(reply.JSON, len(ids))
		if err != nil {
			return ids, nil //nolint:nilerr // as if there were no statements
		}
		answers := make([]*answer, len(statements))
		for i := range statements {
			answers[i] = &statements[i].answer
		}
		gradeAnswers(answers, reply, "is_supported", defaultWords())
		for _, s := range statements {
			i := ids[s.sentence]
			r.statements[i] = append(r.statements[i], checkedStatement{s.text, s.answer.finding(r.groups[0], r.task.Contexts)})
		}
		if reply.Downgraded {
			r.mark(verdict.MarkDowngraded)
		}
		return slices.DeleteFunc(slices.Clone(ids), func(i int) bool { return r.statements[i] != nil }), nil
	})
}

// statementsRequest returns the request for statements of sentences and their
// support by pieces, both numbered by their index in these slices.
func (r *combinedRowJudge) statementsRequest(pieces []piece, ids []int, attempt int) (*llm.Request, error) {
	d := prompt.Data{Strict: r.judge.opts.Strict, Again: attempt > 0, Question: r.task.Question, Contexts: items(pieces)}
	tokens := baseTokens
	for pos, i := range ids {
		text := r.sentences[i].WithLead()
		d.Sentences = append(d.Sentences, prompt.Item{ID: pos, Text: text})
		tokens += tokensPerClaim * (1 + len(text)/bytesPerStatement)
	}
	req, err := extractllm.Request(r.judge.opts.Prompts, prompt.RagEvals, d, &llm.Schema{
		Name: "checked_statements", JSON: json.RawMessage(checkedStatementSchema), Bounded: bounded(checkedStatementSchema, statementsPerSentence*len(ids)),
		Accept: func(raw json.RawMessage) error {
			_, err := readStatements(raw, len(ids))
			return err
		},
	}, tokens)
	if err != nil {
		return nil, err
	}
	r.judge.requestLogprobs(req, func(reply *llm.Reply) [][2]int { return valueSpans(reply, "is_supported") })
	req.Vary(attempt)
	return req, nil
}

// A repliedStatement is a statement in a reply.
type repliedStatement struct {
	sentence int
	text     string
	answer   answer
}

// readStatements parses the statements of the sentences 0 to n-1 in a reply. There is at least one.
// A statement without text or verdict, or with an unknown sentence id, invalidates the whole reply:
// dropping it would compute the score from too few claims.
func readStatements(raw json.RawMessage, n int) ([]repliedStatement, error) {
	statements, err := extractllm.Statements[struct {
		SentenceID  json.RawMessage `json:"sentence_id"`
		Text        string          `json:"text"`
		Reasoning   json.RawMessage `json:"reasoning"`
		ChunkIDs    json.RawMessage `json:"chunk_ids"`
		IsSupported json.RawMessage `json:"is_supported"`
	}](raw)
	if err != nil {
		return nil, err
	}
	if len(statements) == 0 {
		return nil, extractllm.ErrNoStatements
	}
	var out []repliedStatement
	for _, s := range statements {
		id := llm.ParseIndex(s.SentenceID)
		if id < 0 || id >= n {
			return nil, extractllm.ErrUnknownID
		}
		text := plainLine(s.Text)
		label, ok := parseLabel(s.IsSupported)
		if !extract.HasWords(text) || !ok {
			return nil, errors.New("a statement lacks its text or its verdict")
		}
		out = append(out, repliedStatement{id, text, answer{label: label, reason: reasonLine(stringOf(s.Reasoning)), chunks: indexList(s.ChunkIDs)}})
	}
	return out, nil
}
