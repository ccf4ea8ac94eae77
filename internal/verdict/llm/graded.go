package llm

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const (
	topLogprobs = 5   // alternatives requested for each token; some servers allow no more
	scoreSteps  = 1e6 // scores have six decimals, as in results

	// syntax may precede a value within the same token.
	syntax = " \t\r\n\":'`"
)

// requestLogprobs adds a request for the log probabilities of the tokens in spans.
func (j *Judge) requestLogprobs(req *llm.Request, spans func(*llm.Reply) [][2]int) {
	req.Logprobs, req.LogprobsRequired, req.Spans = topLogprobs, j.logprobsRequired, spans
}

// valueSpans returns the byte ranges in the text of a reply of the values of all members with a
// name, in order. It returns nil if the JSON does not occur verbatim in the text.
func valueSpans(reply *llm.Reply, name string) (spans [][2]int) {
	base := strings.LastIndex(reply.Text, string(reply.JSON))
	if base < 0 || len(reply.JSON) == 0 {
		return nil
	}
	d := jsontext.NewDecoder(strings.NewReader(string(reply.JSON)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		t, err := d.ReadToken()
		if err != nil {
			return spans
		}
		if kind, n := d.StackIndex(d.StackDepth()); kind != '{' || n%2 == 0 || t.String() != name {
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		end := base + int(d.InputOffset())
		spans = append(spans, [2]int{end - len(value), end})
	}
}

// answerSpan returns the byte range of the answer in the text of a reply.
func answerSpan(reply *llm.Reply) [][2]int {
	answer, ok := llm.Answer(reply.Text)
	if i := strings.LastIndex(reply.Text, answer); ok && i >= 0 && answer != "" {
		return [][2]int{{i, i + len(answer)}}
	}
	return nil
}

// gradeAnswers grades the answers in a reply, in order, whose verdicts are the members with a
// name. An answer that is nil is not used.
func gradeAnswers(answers []*answer, reply *llm.Reply, name string, w words) {
	if len(reply.Logprobs) == 0 {
		return
	}
	spans := valueSpans(reply, name)
	if len(spans) != len(answers) {
		return
	}
	for i, a := range answers {
		if a != nil {
			a.grade(reply, spans[i], w)
		}
	}
}

// grade sets the score of a from the tokens of a reply in a span, which contains
// the verdict. A score that disagrees with the label is moved to its side of 0.5,
// so that the model's words decide and not rounding.
func (a *answer) grade(reply *llm.Reply, span [2]int, w words) {
	p, ok := probability(reply.Logprobs, reply.Text, span, a.label, w)
	if !ok {
		return
	}
	if a.graded, a.score = true, min(p, defaultThreshold-1/scoreSteps); a.label == verdict.Supported {
		a.score = max(p, defaultThreshold)
	}
}

// words are the verdicts for and against a claim.
type words struct{ supports, denies []string }

func defaultWords() words {
	return words{
		supports: []string{"supported", "yes", "true", "1", "faithful", "entailed"},
		denies:   []string{"not_mentioned", "contradicted", "no", "false", "0", "not_supported", "unsupported", "not_faithful", "unfaithful", "not_entailed"},
	}
}

// probability returns the probability that the verdict in a span of text supports its claim,
// normalized over all verdicts. It follows the tokens of the span up to the first that decides, and
// adds at each the alternatives that decide. ok is false if that is not possible, or if the token
// disagrees with label.
func probability(tokens []llm.Token, text string, span [2]int, label verdict.Label, w words) (p float64, ok bool) {
	yes, no := 0.0, 0.0
	reached := 1.0 // probability of the tokens so far
	for _, t := range tokens {
		if t.End <= span[0] {
			continue
		}
		if t.Start >= span[1] {
			break
		}
		written, before := text[min(t.Start, span[0]):t.Start], text[t.Start:max(t.Start, span[0])]
		stepYes, stepNo, listed, lowest := 0.0, 0.0, 0.0, 1.0
		for _, a := range t.Top {
			q := math.Exp(a.Logprob)
			listed, lowest = listed+q, min(lowest, q)
			switch supports, denies := w.match(written + withoutLead(a.Text, before)); {
			case supports && !denies:
				stepYes += q
			case denies && !supports:
				stepNo += q
			}
		}
		supports, denies := w.match(written + withoutLead(text[t.Start:min(t.End, span[1])], before))
		if supports && denies { // not decided yet
			yes, no, reached = yes+reached*stepYes, no+reached*stepNo, reached*math.Exp(t.Top[0].Logprob)
			continue
		}
		// The probability of a verdict that is not listed is at most that of the last one, and
		// what the listed ones leave.
		bound := max(0, 1-listed)
		if len(t.Top) > 1 {
			bound = min(bound, lowest)
		}
		switch {
		case label == verdict.Supported && !supports, label != verdict.Supported && !denies:
			return 0, false
		case stepNo == 0:
			stepNo = bound
		case stepYes == 0:
			stepYes = bound
		}
		yes, no = yes+reached*stepYes, no+reached*stepNo
		return yes / (yes + no), yes+no > 0
	}
	return 0, false
}

// withoutLead removes the text that precedes a value from a token.
func withoutLead(token, before string) string {
	if rest, ok := strings.CutPrefix(token, before); ok {
		return rest
	}
	return strings.TrimLeft(token, syntax)
}

// match reports whether a verdict that begins with start can be one that supports a claim, and one
// that denies it.
func (w words) match(start string) (supports, denies bool) {
	start = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimLeft(start, syntax)))
	matches := func(w string) bool { return strings.HasPrefix(w, start) || startsWithWord(start, w) }
	return slices.ContainsFunc(w.supports, matches), slices.ContainsFunc(w.denies, matches)
}

// startsWithWord reports whether text is w, or starts with it and continues
// with a character that can't be part of a verdict.
func startsWithWord(text, w string) bool {
	rest, ok := strings.CutPrefix(text, w)
	return ok && (rest == "" || !strings.ContainsFunc(rest[:1], func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r >= 0x80
	}))
}
