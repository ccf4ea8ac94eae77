package llm

import (
	"fmt"
	"math"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

const gradedWords = "apple berry cherry dates elder figs grape honey indigo jelly"

// gradedTask returns a task whose claim i has i tenths of its words in the contexts.
func gradedTask() verdict.Task {
	words := strings.Fields(gradedWords)
	task := verdict.Task{Contexts: []string{gradedWords}}
	for i := range len(words) + 1 {
		text := strings.Join(words[:i], " ") + strings.Repeat(" nowhere", len(words)-i)
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: strings.TrimSpace(text)})
	}
	return task
}

// gradedStack returns a stack on a server with quirks.
func gradedStack(t *testing.T, cache *llm.Cache, quirks ...llmtest.Quirk) (*llm.Stack, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(quirks...)
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	stack, err := llm.New(llm.Options{Client: llm.Config{BaseURL: s.URL + "/v1", Model: "m", Timeout: time.Minute}, Clock: llm.NewClock(time.Now), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stack.Close)
	return stack, server
}

func gradedJudge(t *testing.T, stack *llm.Stack, o Options) *Judge {
	t.Helper()
	o.Model, o.Prompts = stack, loadPrompts(t)
	return New(o)
}

// checkProbabilities checks that claim i of gradedTask has the score that the server
// gives it.
func checkProbabilities(t *testing.T, vs []verdict.Verdict) {
	t.Helper()
	for i, v := range vs {
		want := supportProbability(float64(i) / 10)
		if !v.Graded || math.Abs(v.Score-want) > 2e-3 {
			t.Errorf("claim %d: got score %v, graded %t, want %v", i, v.Score, v.Graded, want)
		}
		if v.Confidence != max(v.Score, 1-v.Score) {
			t.Errorf("claim %d: got confidence %v with score %v", i, v.Confidence, v.Score)
		}
		if supported := i >= 8; supported != (v.Label == verdict.Supported) || supported != (v.Score >= 0.5) {
			t.Errorf("claim %d: got %v with score %v, want supported %t", i, v.Label, v.Score, supported)
		}
	}
}

func TestScoresAreProbabilitiesWhateverTheTokens(t *testing.T) {
	for name, tokens := range map[string]string{
		"words":              `[A-Za-z]+|_[a-z]+|.`,
		"quote with word":    `"?[A-Za-z]+|_[a-z]+|.`,
		"colon with value":   `:"?[a-z0-9]+|[A-Za-z]+|_[a-z]+|.`,
		"parts of words":     `[A-Za-z]{1,3}|_[a-z]|.`,
		"characters":         `.`,
		"values":             `:?"[a-z_]+"[,}]?|:\d|[A-Za-z]+|.`,
		"punctuation before": `[^A-Za-z0-9]+|[a-z]{1,8}|[A-Za-z]+|\d`,
	} {
		for style, o := range map[string]Options{"chunks": {}, "ragas": {Style: Ragas}} {
			t.Run(name+"/"+style, func(t *testing.T) {
				stack, _ := gradedStack(t, nil, gradedLogprobs(regexp.MustCompile(tokens)))
				checkProbabilities(t, judge(t, gradedJudge(t, stack, o), gradedTask()).Verdicts)
			})
		}
		t.Run(name+"/word", func(t *testing.T) {
			stack, _ := gradedStack(t, nil, gradedLogprobs(regexp.MustCompile(tokens)), llmtest.Prose())
			checkProbabilities(t, judge(t, gradedJudge(t, stack, Options{}), gradedTask()).Verdicts)
		})
	}
}

// A server that rejects or garbles log probabilities gives the verdicts of one that
// ignores them, at the cost of at most one more request.
func TestUnusableLogprobsLeaveVerdictsUngraded(t *testing.T) {
	token := func(text string, logprob any, top ...any) map[string]any {
		return map[string]any{"token": text, "logprob": logprob, "top_logprobs": top}
	}
	each := func(f func(text string) map[string]any) llmtest.Quirk {
		return rawLogprobs(func(_ *llmtest.Call, content string) any {
			var list []any
			for _, r := range content {
				list = append(list, f(string(r)))
			}
			return map[string]any{"content": list}
		})
	}
	raw := func(v any) llmtest.Quirk {
		return rawLogprobs(func(*llmtest.Call, string) any { return v })
	}
	many := make([]any, 10_000)
	for i := range many {
		many[i] = token(fmt.Sprint("x", i), -20)
	}
	ungraded, _ := gradedStack(t, nil)
	want := judge(t, gradedJudge(t, ungraded, Options{}), gradedTask()).Verdicts
	for name, tt := range map[string]struct {
		quirk    llmtest.Quirk
		requests int
	}{
		"ignored":              {raw(nil), 1},
		"refused":              {llmtest.Rejects("logprobs"), 2},
		"refused unnamed":      {llmtest.Rejects("logprobs without a reason"), 2},
		"empty":                {raw(map[string]any{"content": []any{}}), 1},
		"text":                 {raw("none"), 1},
		"legacy":               {raw(map[string]any{"tokens": []string{"{"}, "token_logprobs": []float64{-1}}), 1},
		"string":               {each(func(s string) map[string]any { return token(s, "-1") }), 1},
		"positive":             {each(func(s string) map[string]any { return token(s, 3.5, token(s, 3.5)) }), 1},
		"other text":           {each(func(string) map[string]any { return token("y", -0.1) }), 1},
		"bytes out of range":   {each(func(s string) map[string]any { return map[string]any{"token": s, "logprob": -1, "bytes": []int{300}} }), 1},
		"alternatives without": {raw(map[string]any{"content": []any{token("{", -1, many...)}}), 1},
		"not a number": {func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
			a := next(c)
			a.Body = fmt.Sprintf(`{"choices":[{"message":{"content":%q},"logprobs":{"content":[{"token":"{","logprob":NaN}]}}]}`, a.Content)
			return a
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			stack, server := gradedStack(t, nil, tt.quirk)
			got := judge(t, gradedJudge(t, stack, Options{}), gradedTask()).Verdicts
			for i := range got {
				if got[i].Label != want[i].Label || got[i].Score != want[i].Score || got[i].Graded {
					t.Errorf("claim %d: got %v, score %v, graded %t; want %v, score %v", i, got[i].Label, got[i].Score, got[i].Graded, want[i].Label, want[i].Score)
				}
			}
			if n := len(server.Calls()); n != tt.requests {
				t.Errorf("got %d requests, want %d", n, tt.requests)
			}
			threshold := 0.7
			_, err := gradedJudge(t, stack, Options{Threshold: &threshold}).Judge(t.Context(), gradedTask())
			if absent := tt.requests == 2 || name == "not a number" || name == "ignored" || name == "empty" || name == "text" || name == "legacy"; err == nil || absent && !llm.IsFatal(err) {
				t.Errorf("with a threshold: got error %v, want one, fatal: %t", err, absent)
			}
		})
	}
}

func TestThresholdDecidesGradedClaims(t *testing.T) {
	for _, threshold := range []float64{0.05, 0.5, 0.9} {
		stack, _ := gradedStack(t, nil, gradedLogprobs(regexp.MustCompile(`[a-z]+|.`)))
		for i, v := range judge(t, gradedJudge(t, stack, Options{Threshold: &threshold}), gradedTask()).Verdicts {
			p := supportProbability(float64(i) / 10)
			if want := p >= threshold; want != (v.Label == verdict.Supported) || want != (v.Score >= threshold) {
				t.Errorf("threshold %v: claim %d with probability %v: got %v, score %v", threshold, i, p, v.Label, v.Score)
			}
			if flipped := (v.Label == verdict.Supported) != (i >= 8); flipped != strings.Contains(v.Reason, "the threshold") {
				t.Errorf("threshold %v: claim %d: got reason %q, want the threshold in it if it overrides the model", threshold, i, v.Reason)
			}
		}
	}
}

func TestCachedRepliesKeepProbabilities(t *testing.T) {
	cache := llm.OpenCache(t.Context(), t.TempDir(), llm.NewClock(time.Now), func(err error) { t.Error(err) })
	defer cache.Close()
	graded := false
	withLogprobs := gradedLogprobs(regexp.MustCompile(`[a-z]+|.`))
	stack, server := gradedStack(t, cache, func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
		if graded {
			return withLogprobs(c, next)
		}
		return next(c)
	})
	score := func(o Options) []verdict.Verdict { return judge(t, gradedJudge(t, stack, o), gradedTask()).Verdicts }
	score(Options{})
	graded = true
	for i, v := range score(Options{}) {
		if v.Graded || v.Confidence != 0 {
			t.Errorf("claim %d is graded, but its cached reply has no log probabilities", i)
		}
	}
	threshold := 0.5
	checkProbabilities(t, score(Options{Threshold: &threshold}))
	checkProbabilities(t, score(Options{}))
	if n := len(server.Calls()); n != 2 {
		t.Errorf("got %d requests, want 2: one without log probabilities, one with them", n)
	}
}

func TestProbabilityFollowsTokens(t *testing.T) {
	token := func(start int, text string, p float64, others ...any) llm.Token {
		k := llm.Token{Start: start, End: start + len(text), Top: []llm.Alternative{{Text: text, Logprob: math.Log(p)}}}
		for i := 0; i < len(others); i += 2 {
			k.Top = append(k.Top, llm.Alternative{Text: others[i].(string), Logprob: math.Log(others[i+1].(float64))})
		}
		return k
	}
	const text = `{"verdict":"supported"}`
	span := [2]int{11, 22}
	for name, tt := range map[string]struct {
		tokens []llm.Token
		want   float64 // negative if none
	}{
		"both":                        {[]llm.Token{token(11, `"`, 1), token(12, "supported", 0.75, "contradicted", 0.25)}, 0.75},
		"other tokens are ignored":    {[]llm.Token{token(12, "supported", 0.3, "not", 0.1, "{", 0.6)}, 0.75},
		"two for one value":           {[]llm.Token{token(12, "sup", 0.4, "supported", 0.2, "con", 0.1, "not", 0.1, "contradicted", 0.1)}, 0.6 / 0.9},
		"alternative before":          {[]llm.Token{token(11, `"`, 0.5, `"not`, 0.5), token(12, "supported", 0.8, "not", 0.2)}, 0.4},
		"space before the quote":      {[]llm.Token{token(10, `:"`, 0.6, `: "`, 0.4), token(12, "supported", 0.9, " not", 0.1)}, 0.9},
		"only one, rest unknown":      {[]llm.Token{token(12, "supported", 0.7)}, 0.7},
		"no other value in the list":  {[]llm.Token{token(12, "supported", 0.9, "Supported", 0.05, "sup", 0.01)}, 0.96 / 0.97},
		"ends before a decision":      {[]llm.Token{token(11, `"`, 1)}, -1},
		"the token disagrees":         {[]llm.Token{token(12, "not", 0.9, "supported", 0.1)}, -1},
		"certain":                     {[]llm.Token{token(12, "supported", 1)}, 1},
		"tokens of another place":     {[]llm.Token{token(0, `{"`, 0.5)}, -1},
		"words that start with yes":   {[]llm.Token{token(12, "supported", 0.5, "yesterday", 0.4, "no", 0.5)}, 0.5},
		"value with its closing mark": {[]llm.Token{token(11, `"supported"}`, 0.8, `"contradicted"}`, 0.2)}, 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			source := text
			if name == "the token disagrees" {
				source = `{"verdict":"not_mentio"}`
			}
			got, ok := probability(tt.tokens, source, span, verdict.Supported, defaultWords())
			if ok != (tt.want >= 0) || ok && math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %v, %t, want %v", got, ok, tt.want)
			}
		})
	}
}

func FuzzProbability(f *testing.F) {
	f.Add(`"supported"`, "sup", -0.1, `"not`, -2.0, 0)
	f.Add("1", ":1", 0.0, "0", math.Inf(-1), 1)
	f.Fuzz(func(t *testing.T, text, a string, p float64, b string, q float64, start int) {
		if start < 0 || start >= len(text) || !(p <= 0) || !(q <= 0) {
			return
		}
		tokens := []llm.Token{{Start: start, End: len(text), Top: []llm.Alternative{{Text: a, Logprob: p}, {Text: b, Logprob: q}}}}
		for _, label := range []verdict.Label{verdict.Supported, verdict.NotMentioned} {
			if got, ok := probability(tokens, text, [2]int{0, len(text)}, label, defaultWords()); ok && !(got >= 0 && got <= 1) {
				t.Errorf("got %v, want a probability", got)
			}
		}
	})
}
