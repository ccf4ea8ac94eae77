package llm

import (
	"encoding/json"
	"errors"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	statedSchema = `{"type":"object","properties":{"statements":{"type":"array","items":{"type":"object","properties":{"sentence_id":{"type":"integer"},"text":{"type":"string"},"reasoning":{"type":"string"},"chunk_ids":{"type":"array","items":{"type":"integer"}},"is_supported":{"type":"boolean"}},"required":["sentence_id","text","reasoning","chunk_ids","is_supported"],"additionalProperties":false}}},"required":["statements"],"additionalProperties":false}`
	// A sentence of this many bytes usually makes one statement.
	bytesPerStatement = 100
)

// statements asks for the statements of sentences and their verdicts by pieces,
// both numbered by their place here.
func (s *sitting) statements(pieces []piece, ids []int, try int) (*llm.Request, error) {
	o := &s.judge.opts
	d := prompt.Data{Strict: o.Strict, Again: try > 0, Question: s.task.Question}
	for i, p := range pieces {
		d.Contexts = append(d.Contexts, prompt.Item{ID: i, Text: p.text})
	}
	room := roomBase
	for at, i := range ids {
		text := s.sentences[i].Text
		d.Sentences = append(d.Sentences, prompt.Item{ID: at, Text: text})
		room += roomClaim * (1 + len(text)/bytesPerStatement)
	}
	text, err := o.Prompts.Render(prompt.RagEvals, d)
	if err != nil {
		return nil, err
	}
	const statementsOfOne = 8 // at most, of a sentence
	r := &llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: text.System}, {Role: llm.User, Text: text.User}},
		Schema: &llm.Schema{
			Name: "checked_statements", JSON: json.RawMessage(statedSchema), Bounded: brief(statedSchema, statementsOfOne*len(ids)),
			Accept: func(raw json.RawMessage) error {
				_, err := readStated(raw, len(ids))
				return err
			},
		},
		Seed:      o.Seed,
		MaxTokens: room,
		Prompt:    text.Version,
	}
	if try > 0 {
		r.Seed += try
		r.Temperature = warm
	}
	return r, nil
}

// A replied statement, as it was said.
type replied struct {
	text   string
	answer answer
}

// readStated reads a reply on the sentences 0 to n-1, and returns the statements
// of each. A statement that lacks its text, its verdict or a sentence that was
// asked about makes the whole reply unfit: who can't be counted would be missing
// from the score.
func readStated(raw json.RawMessage, n int) ([][]replied, error) {
	var reply struct {
		Statements *[]struct {
			SentenceID  json.RawMessage `json:"sentence_id"`
			Text        string          `json:"text"`
			Reasoning   json.RawMessage `json:"reasoning"`
			ChunkIDs    json.RawMessage `json:"chunk_ids"`
			IsSupported json.RawMessage `json:"is_supported"`
		} `json:"statements"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return nil, errors.New("\"statements\" is not of the shape asked for")
	}
	if reply.Statements == nil {
		return nil, errors.New("it has no \"statements\"")
	}
	if len(*reply.Statements) == 0 {
		return nil, errors.New("it has no statement")
	}
	out := make([][]replied, n)
	for _, s := range *reply.Statements {
		id := llm.Index(s.SentenceID)
		if id < 0 || id >= n {
			return nil, errors.New("a statement with a sentence_id that was not asked for")
		}
		text := plain(s.Text)
		label, ok := labelOf(s.IsSupported)
		if !says(text) || !ok {
			return nil, errors.New("a statement lacks its text or its verdict")
		}
		if label == verdict.Contradicted { // which this one request does not distinguish
			label = verdict.NotMentioned
		}
		out[id] = append(out[id], replied{text, answer{label: label, reason: oneLine(str(s.Reasoning)), chunks: numbers(s.ChunkIDs)}})
	}
	return out, nil
}
