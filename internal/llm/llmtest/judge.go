package llmtest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

type item struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// A prompt is the JSON in a user message.
type prompt struct {
	Chunks                        []item
	Context, Answer               string
	Claims, Statements, Sentences []item
}

// prompt parses the user message of a call.
func (c *Call) prompt() (p prompt) {
	_ = json.NewDecoder(strings.NewReader(c.User)).Decode(&p) // on failure, there are no claims
	return p
}

// judge is the handler without quirks. It supports a claim if a sentence of the contexts
// contains most of its longer words.
func judge(c *Call) *Answer {
	p := c.prompt()
	text := p.reply(c)
	const tokenBytes = 4
	return &Answer{Content: text, PromptTokens: (len(c.System) + len(c.User)) / tokenBytes, CompletionTokens: 1 + len(text)/tokenBytes}
}

func (p *prompt) reply(c *Call) string {
	switch {
	case c.Word() && len(p.Claims) > 0:
		return map[bool]string{true: "Yes", false: "No"}[p.supports(p.Claims[0].Text)]
	case p.Claims != nil || p.Statements != nil:
		return p.verdicts(c.Schema)
	case p.Sentences == nil:
		return encode(map[string]any{"statements": []string{p.Answer}})
	}
	var list []any
	for _, s := range p.Sentences {
		if p.Chunks == nil {
			list = append(list, map[string]any{"sentence_id": s.ID, "statement": s.Text})
			continue
		}
		list = append(list, map[string]any{"sentence_id": s.ID, "text": s.Text, "reasoning": "r", "chunk_ids": []int{}, "is_supported": p.supports(s.Text)})
	}
	return encode(map[string]any{"statements": list})
}

// verdicts returns a verdict on each claim or statement. Claims that are not supported are
// contradicted if they contain a digit.
func (p *prompt) verdicts(schema string) string {
	list, byID := []any{}, map[string]any{}
	for _, c := range append(p.Claims, p.Statements...) {
		v := map[string]any{"claim_id": c.ID, "reason": "r"}
		label := "not_mentioned"
		if p.supports(c.Text) {
			label = "supported"
		} else if strings.ContainsFunc(c.Text, unicode.IsDigit) {
			label = "contradicted"
		}
		if p.Statements != nil {
			v = map[string]any{"statement_id": c.ID, "reason": "r", "verdict": map[bool]int{true: 1}[label == "supported"]}
		} else {
			v["verdict"], v["quote"], v["chunk_ids"] = label, "", p.evidence(c.Text)
		}
		list, byID[strconv.Itoa(c.ID)] = append(list, v), v
	}
	if strings.Contains(schema, `"verdicts":{"type":"object"`) {
		return encode(map[string]any{"verdicts": byID})
	}
	return encode(map[string]any{"verdicts": list})
}

func (p *prompt) supports(claim string) bool { return p.share(claim) >= SupportedShare }

// SupportedShare is the minimum share of words of a supported claim in a sentence.
const SupportedShare = 0.8

// Shares returns the share of words of each claim, statement or sentence of a call.
func (c *Call) Shares() (shares []float64) {
	p := c.prompt()
	for _, claim := range slices.Concat(p.Claims, p.Statements, p.Sentences) {
		shares = append(shares, p.share(claim.Text))
	}
	return shares
}

// share returns the largest share of the longer words of a claim that occur in one
// sentence of the contexts. It does not change if contexts are split between sentences.
func (p *prompt) share(claim string) float64 {
	best := share(p.Context, claim)
	for _, c := range p.Chunks {
		best = max(best, share(c.Text, claim))
	}
	return best
}

func share(text, claim string) float64 {
	all, best := words(claim), 0
	if len(all) == 0 {
		return 1
	}
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?\n", r) }) {
		found, known := 0, words(sentence)
		for _, w := range all {
			if slices.Contains(known, w) {
				found++
			}
		}
		best = max(best, found)
	}
	return float64(best) / float64(len(all))
}

// evidence returns the ids of the chunks that support a claim.
func (p *prompt) evidence(claim string) []int {
	ids := []int{}
	for _, c := range p.Chunks {
		if share(c.Text, claim) >= SupportedShare {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func words(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.DeleteFunc(all, func(w string) bool { return len(w) <= 3 })
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: v consists of strings and numbers
	}
	return string(b)
}
