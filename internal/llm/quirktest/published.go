package quirktest

import (
	"encoding/json"
	"strings"
)

// A published is the layout of a published judge.
type published int

const (
	noPublished published = iota
	miniCheck
	lynx
	guardian
)

// prompt parses the messages of a call.
func (c *Call) prompt() (p prompt, layout published) {
	between := func(before, after string) string {
		_, text, _ := strings.Cut(c.User, before)
		text, _, _ = strings.Cut(text, after)
		return text
	}
	switch {
	case strings.HasPrefix(c.System, "Determine whether the provided claim is consistent"):
		layout, p.Context = miniCheck, between("Document: ", "\nClaim: ")
		p.Claims = []item{{Text: between("\nClaim: ", "\x00")}}
	case strings.HasPrefix(c.User, "Given the following QUESTION, DOCUMENT and ANSWER"):
		layout, p.Context = lynx, between("DOCUMENT:\n", "\n\n--\nANSWER:")
		p.Claims = []item{{Text: between("\nANSWER:\n", "\n\n--\n")}}
	case strings.HasPrefix(c.User, "<guardian>"):
		layout, p.Context = guardian, strings.Join(c.Documents, "\n")
		p.Claims = []item{{Text: c.Assistant}}
	default:
		_ = json.NewDecoder(strings.NewReader(c.User)).Decode(&p) // on failure, there are no claims
	}
	return p, layout
}

// publishedReply returns the reply of a published judge.
func (p *prompt) publishedReply(layout published) string {
	ok := p.supports(p.Claims[0].Text)
	word := func(yes, no string) string {
		if ok {
			return yes
		}
		return no
	}
	switch layout {
	case miniCheck:
		return word("Yes", "No")
	case lynx:
		return `{"REASONING": ["It says "so".", "Also "KEY": "VALUE"."], "SCORE": "` + word("PASS", "FAIL") + `"}`
	case guardian:
		return "<think>\n</think>\n<score> " + word("no", "yes") + " </score>"
	case noPublished:
	}
	return ""
}

// factVerdicts answers whether facts contradict claims: those that are not supported are
// contradicted if they contain a digit, and otherwise unknown.
func (p *prompt) factVerdicts(byID bool) string {
	return verdicts(p.Claims, byID, func(claim item) map[string]any {
		v := map[string]string{"supported": "yes", "contradicted": "no", "not_mentioned": "idk"}[p.label(claim.Text)]
		return map[string]any{"claim_id": claim.ID, "reason": "r", "verdict": v}
	})
}
