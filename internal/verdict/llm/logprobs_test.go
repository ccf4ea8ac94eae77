package llm

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// rawLogprobs returns the value of f as the log probabilities of every reply.
func rawLogprobs(f func(c *llmtest.Call, content string) any) llmtest.Quirk {
	return func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
		a := next(c)
		if c.TopLogprobs > 0 {
			a.Logprobs = f(c, a.Content)
		}
		return a
	}
}

// gradedLogprobs returns log probabilities for tokens, which are the matches of token. A claim
// is supported with a probability that grows with the share of its words in one sentence,
// and exceeds 0.5 if the reply says so.
func gradedLogprobs(token *regexp.Regexp) llmtest.Quirk {
	return rawLogprobs(func(c *llmtest.Call, content string) any { return gradedTokens(c, content, token) })
}

// An apiToken is a token with its log probability, as in the API.
type apiToken struct {
	Token   string     `json:"token"`
	Logprob float64    `json:"logprob"`
	Top     []apiToken `json:"top_logprobs,omitempty"`
}

// verdictValue matches the verdicts of a reply.
var verdictValue = regexp.MustCompile(`"(?:verdict|is_supported)":("[a-z_]+"|\d|true|false)|^(Yes|No)$`)

// supportProbability returns the probability with which gradedLogprobs supports a claim.
func supportProbability(share float64) float64 {
	return 1 / (1 + math.Exp(-10*(share-llmtest.SupportedShare+0.01)))
}

func gradedTokens(c *llmtest.Call, content string, token *regexp.Regexp) any {
	shares := c.Shares()
	values := verdictValue.FindAllStringSubmatchIndex(content, -1)
	var list []apiToken
	for _, at := range token.FindAllStringIndex(content, -1) {
		t := apiToken{Token: content[at[0]:at[1]], Logprob: -1e-4}
		t.Top = []apiToken{{Token: t.Token, Logprob: t.Logprob}, {Token: "\x00", Logprob: -12}}
		for i, m := range values {
			start, end := max(m[2], m[4]), max(m[3], m[5])
			if i < len(shares) && at[1] > start && at[0] <= start+1 {
				first := func(verdict string) string {
					return token.FindString(content[at[0]:max(at[0], start)] + verdict + content[end:])
				}
				t.addValues(content[start:end], content[start:max(start, at[0])], supportProbability(shares[i]), first)
			}
		}
		list = append(list, t)
	}
	return map[string]any{"content": list}
}

// addValues adds the tokens of other verdicts as alternatives of t. t continues verdict
// after written. first returns the token with which the rest of a verdict starts.
func (t *apiToken) addValues(verdict, written string, yes float64, first func(rest string) string) {
	sets := [][]string{{`"supported"`, `"contradicted"`, `"not_mentioned"`}, {"1", "0"}, {"true", "false"}, {"Yes", "No"}}
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
	t.Top = []apiToken{{Token: t.Token, Logprob: t.Logprob}}
	for text, q := range mass {
		if text != t.Token {
			t.Top = append(t.Top, apiToken{Token: text, Logprob: math.Log(q)})
		}
	}
}
