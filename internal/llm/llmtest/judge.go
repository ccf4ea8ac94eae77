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
	Chunks, Facts                 []item
	Context, Answer               string
	Claims, Statements, Sentences []item

	published [2]string // replies of a published judge for and against its claim, or empty
}

// judge is the handler without quirks. It supports a claim if a sentence of the contexts
// contains most of its longer words.
func judge(c *Call) *Answer {
	p := c.prompt()
	text := p.reply(c)
	return &Answer{Content: text, PromptTokens: promptTokens(c), CompletionTokens: 1 + len(text)/4}
}

func (p *prompt) reply(c *Call) string {
	byID := strings.Contains(c.Schema, `"verdicts":{"type":"object"`)
	switch {
	case p.published[0] != "" && p.supports(p.Claims[0].Text):
		return p.published[0]
	case p.published[0] != "":
		return p.published[1]
	case strings.Contains(c.Schema, `"truths"`):
		var facts []string
		for _, chunk := range p.Chunks {
			facts = append(facts, chunk.Text)
		}
		return encode(map[string]any{"truths": facts})
	case strings.Contains(c.Schema, `"idk"`):
		return p.factVerdicts(byID)
	case c.Word() && len(p.Claims) > 0:
		return map[bool]string{true: "Yes", false: "No"}[p.supports(p.Claims[0].Text)]
	case p.Statements != nil:
		return verdicts(p.Statements, byID, func(claim item) map[string]any {
			v := 0
			if p.supports(claim.Text) {
				v = 1
			}
			return map[string]any{"statement_id": claim.ID, "reason": "r", "verdict": v}
		})
	case p.Claims != nil:
		return verdicts(p.Claims, byID, func(claim item) map[string]any {
			return map[string]any{"claim_id": claim.ID, "chunk_ids": p.evidence(claim.Text), "quote": "", "reason": "r", "verdict": p.label(claim.Text)}
		})
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

func verdicts(claims []item, byID bool, verdict func(item) map[string]any) string {
	list, keyed := []any{}, map[string]any{}
	for _, c := range claims {
		v := verdict(c)
		list, keyed[strconv.Itoa(c.ID)] = append(list, v), v
	}
	if byID {
		return encode(map[string]any{"verdicts": keyed})
	}
	return encode(map[string]any{"verdicts": list})
}

func (p *prompt) label(claim string) string {
	switch {
	case p.supports(claim):
		return "supported"
	case strings.ContainsFunc(claim, unicode.IsDigit):
		return "contradicted"
	}
	return "not_mentioned"
}

func (p *prompt) supports(claim string) bool { return p.share(claim) >= supportedShare }

// supportedShare is the minimum share of words of a supported claim in a sentence.
const supportedShare = 0.8

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
		if share(c.Text, claim) >= supportedShare {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 3 {
			out = append(out, w)
		}
	}
	return out
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen: v consists of strings and numbers
	}
	return string(b)
}
