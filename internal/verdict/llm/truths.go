package llm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/prompt"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	truthsSchema = `{"type":"object","properties":{"truths":{"type":"array","items":{"type":"string"}}},"required":["truths"],"additionalProperties":false}`
	truthsTokens = 2048 // output tokens of a request for truths
)

// truths returns the facts that pieces state, according to the model. It asks about as
// many pieces at once as the context window holds.
func (r *rowJudge) truths(ctx context.Context, pieces []piece) (facts []piece, err error) {
	req, err := r.truthsRequest(nil)
	if err != nil {
		return nil, err
	}
	groups := [][]piece{pieces}
	if window, _ := r.judge.window(); window > 0 {
		groups = pack(pieces, max(r.judge.room(req), minWindow), r.judge.size)
	}
	for len(groups) > 0 {
		group := groups[0]
		groups = groups[1:]
		if req, err = r.truthsRequest(group); err != nil {
			return nil, err
		}
		reply, err := r.complete(ctx, req)
		if err != nil {
			halves := halve(group)
			if !llm.IsTooLong(err) || halves == nil {
				return nil, err
			}
			groups = append(halves, groups...)
			continue
		}
		if reply.Downgraded {
			r.mark(verdict.MarkDowngraded)
		}
		list, err := readTruths(reply.JSON)
		if err != nil {
			return nil, &llm.ParseError{Reason: err.Error(), Text: reply.Text}
		}
		for _, text := range list {
			facts = append(facts, piece{text: text})
		}
	}
	return facts, nil
}

func (r *rowJudge) truthsRequest(pieces []piece) (*llm.Request, error) {
	schema := &llm.Schema{Name: "truths", JSON: json.RawMessage(truthsSchema), Accept: func(raw json.RawMessage) error {
		_, err := readTruths(raw)
		return err
	}}
	return r.render(prompt.DeepEvalTruths, prompt.Data{Contexts: items(pieces)}, schema, truthsTokens)
}

// readTruths parses a list of facts, which may be empty.
func readTruths(raw json.RawMessage) ([]string, error) {
	var reply struct {
		Truths *[]string `json:"truths"`
	}
	if json.Unmarshal(raw, &reply) != nil || reply.Truths == nil {
		return nil, errors.New("it has no list \"truths\"")
	}
	var list []string
	for _, text := range *reply.Truths {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list, nil
}
