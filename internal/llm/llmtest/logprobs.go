package llmtest

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// RawLogprobs returns the value of f as the log probabilities of every reply.
func RawLogprobs(f func(c *Call, content string) any) Quirk {
	return changed(func(c *Call, a *Answer) {
		if c.TopLogprobs > 0 {
			a.Logprobs = f(c, a.Content)
		}
	})
}

// Logprobs returns log probabilities for tokens, which are the matches of token. A claim
// is supported with a probability that grows with the share of its words in one sentence,
// and exceeds 0.5 if the reply says so.
func Logprobs(token *regexp.Regexp) Quirk {
	return RawLogprobs(func(c *Call, content string) any { return gradedTokens(c, content, token) })
}

// Alternative is a token with its log probability, as in the API.
type Alternative struct {
	Token   string        `json:"token"`
	Logprob float64       `json:"logprob"`
	Top     []Alternative `json:"top_logprobs,omitempty"`
}

// verdictValue matches the verdicts of a reply.
var verdictValue = regexp.MustCompile(`"(?:verdict|is_supported)":("[a-z_]+"|\d|true|false)|^(Yes|No)$|<score> (yes|no) </score>`)

// SupportProbability returns the probability with which Logprobs supports a claim.
func SupportProbability(share float64) float64 {
	return 1 / (1 + math.Exp(-10*(share-supportedShare+0.01)))
}

func gradedTokens(c *Call, content string, token *regexp.Regexp) any {
	p := c.prompt()
	claims := append(append(p.Claims, p.Statements...), p.Sentences...)
	values := verdictValue.FindAllStringSubmatchIndex(content, -1)
	var list []Alternative
	for _, at := range token.FindAllStringIndex(content, -1) {
		t := Alternative{Token: content[at[0]:at[1]], Logprob: -1e-4}
		t.Top = []Alternative{{Token: t.Token, Logprob: t.Logprob}, {Token: "\x00", Logprob: -12}}
		for i, m := range values {
			start, end := max(m[2], m[4], m[6]), max(m[3], m[5], m[7])
			if i < len(claims) && at[1] > start && at[0] <= start+1 {
				first := func(verdict string) string {
					return token.FindString(content[at[0]:max(at[0], start)] + verdict + content[end:])
				}
				t.addValues(content[start:end], content[start:max(start, at[0])], SupportProbability(p.share(claims[i].Text)), first)
			}
		}
		list = append(list, t)
	}
	return map[string]any{"content": list}
}

// addValues adds the tokens of other verdicts as alternatives of t. t continues verdict
// after written. first returns the token with which the rest of a verdict starts.
func (t *Alternative) addValues(verdict, written string, yes float64, first func(rest string) string) {
	sets := [][]string{{`"supported"`, `"contradicted"`, `"not_mentioned"`}, {"1", "0"}, {"true", "false"}, {"Yes", "No"}, {"no", "yes"}}
	n := slices.IndexFunc(sets, func(set []string) bool { return slices.Contains(set, verdict) })
	if n < 0 {
		return
	}
	mass := map[string]float64{}
	for i, v := range sets[n] {
		rest, ok := strings.CutPrefix(v, written)
		if !ok {
			return
		}
		q := yes
		if i > 0 {
			q = (1 - yes) / float64(len(sets[n])-1)
		}
		mass[first(rest)] += q
	}
	if len(mass) == 1 {
		return
	}
	t.Logprob = math.Log(mass[t.Token])
	t.Top = []Alternative{{Token: t.Token, Logprob: t.Logprob}}
	for text, q := range mass {
		if text != t.Token {
			t.Top = append(t.Top, Alternative{Token: text, Logprob: math.Log(q)})
		}
	}
}
