package llmtest

import (
	"encoding/json"
	"strings"
)

// prompt parses the messages of a call.
func (c *Call) prompt() (p prompt) {
	between := func(before, after string) string {
		_, text, _ := strings.Cut(c.User, before)
		text, _, _ = strings.Cut(text, after)
		return text
	}
	switch {
	case strings.HasPrefix(c.System, "Determine whether the provided claim is consistent"): // MiniCheck
		p.Context, p.published = between("Document: ", "\nClaim: "), [2]string{"Yes", "No"}
		p.Claims = []item{{Text: between("\nClaim: ", "\x00")}}
	case strings.HasPrefix(c.User, "Given the following QUESTION, DOCUMENT and ANSWER"): // Lynx
		const front, end = `{"REASONING": ["It says "so".", "Also "KEY": "VALUE"."], "SCORE": "`, `"}`
		p.Context, p.published = between("DOCUMENT:\n", "\n\n--\nANSWER:"), [2]string{front + "PASS" + end, front + "FAIL" + end}
		p.Claims = []item{{Text: between("\nANSWER:\n", "\n\n--\n")}}
	case strings.HasPrefix(c.User, "<guardian>"):
		const front, end = "<think>\n</think>\n<score> ", " </score>"
		p.Context, p.published = strings.Join(c.Documents, "\n"), [2]string{front + "no" + end, front + "yes" + end}
		p.Claims = []item{{Text: c.Assistant}}
	default:
		_ = json.NewDecoder(strings.NewReader(c.User)).Decode(&p) // on failure, there are no claims
	}
	p.Chunks = append(p.Chunks, p.Facts...)
	return p
}

// factVerdicts answers whether facts contradict claims: those that are not supported are
// contradicted if they contain a digit, and otherwise unknown.
func (p *prompt) factVerdicts(byID bool) string {
	return verdicts(p.Claims, byID, func(claim item) map[string]any {
		v := map[string]string{"supported": "yes", "contradicted": "no", "not_mentioned": "idk"}[p.label(claim.Text)]
		return map[string]any{"claim_id": claim.ID, "reason": "r", "verdict": v}
	})
}
