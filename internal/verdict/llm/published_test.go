package llm

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestPublishedJudges(t *testing.T) {
	tokens := quirktest.Logprobs(regexp.MustCompile(`(?s)[A-Za-z]+| ?.`))
	for name, tt := range map[string]struct {
		options  Options
		graded   bool
		requests int
	}{
		"minicheck":            {Options{Style: MiniCheck}, true, 11},
		"minicheck, 3 votes":   {Options{Style: MiniCheck, Votes: 3}, true, 33},
		"minicheck, each":      {Options{Style: MiniCheck, EachChunk: true}, true, 22},
		"lynx":                 {Options{Style: Lynx}, false, 11},
		"granite guardian 4.1": {Options{Style: Guardian}, true, 11},
	} {
		t.Run(name, func(t *testing.T) {
			stack, server := gradedStack(t, nil, tokens)
			task := gradedTask()
			task.Contexts = append([]string{"something else"}, task.Contexts...)
			task.Question = "What?"
			vs := judgeGraded(t, gradedJudge(t, stack, tt.options), task)
			if tt.graded {
				checkProbabilities(t, vs)
			}
			for i, v := range vs {
				if supported := i >= 8; supported != (v.Label == verdict.Supported) || v.Graded != tt.graded || v.Label == verdict.Contradicted {
					t.Errorf("claim %d: got %+v, want supported %t, graded %t", i, v, supported, tt.graded)
				}
			}
			if n := len(server.Calls()); n != tt.requests {
				t.Errorf("got %d requests, want %d", n, tt.requests)
			}
			for _, c := range server.Calls() {
				if c.Format != "" {
					t.Errorf("got response format %q, want none", c.Format)
				}
			}
		})
	}
}

// DeepEval's metric supports a claim that the contexts neither state nor contradict.
func TestDeepEvalSupportsWhatIsNotContradicted(t *testing.T) {
	stack, server := gradedStack(t, nil, quirktest.Logprobs(regexp.MustCompile(`[A-Za-z]+|.`)))
	task := verdict.Task{Contexts: []string{"unrelated text", gradedWords}}
	for i, text := range []string{gradedWords, "nowhere elsewhere", "nowhere elsewhere 1955"} {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: text})
	}
	got := judgeGraded(t, gradedJudge(t, stack, Options{Style: DeepEval}), task)
	for i, want := range []verdict.Label{verdict.Supported, verdict.Supported, verdict.Contradicted} {
		v := got[i]
		if v.Label != want || len(v.ChunkIDs)+len(v.Evidence) > 0 || (i == 1) != strings.Contains(v.Reason, "neither stated nor contradicted") {
			t.Errorf("claim %d: got %+v, want %v without evidence", i, v, want)
		}
	}
	if n := len(server.Calls()); n != 2 {
		t.Errorf("got %d requests, want 2: facts and verdicts", n)
	}
}

func TestReadLynx(t *testing.T) {
	for reply, want := range map[string]string{
		`{"REASONING": ["a", "b"], "SCORE": "PASS"}`:                       "supported: a b",
		`{"REASONING": ['It's "said"', 'so'], "SCORE": FAIL}`:              "not_mentioned: It's \"said\"', 'so",
		"```json\n{\"REASONING\": \"a\",\n \"SCORE\": \"fail\"\n}\n```":    "not_mentioned: a",
		`{"SCORE": "PASS", "REASONING": "it is"}`:                          "supported: it is",
		`{"REASONING": ["says \"SCORE\": \"PASS\""], "SCORE": "FAIL"}`:     `not_mentioned: says "SCORE": "PASS"`,
		`{"REASONING": ["a"], "SCORE": "FAIL"} It says "SCORE": "PASS"`:    "",
		`<think>"SCORE": "PASS"</think>{"REASONING": [], "SCORE": "FAIL"}`: "not_mentioned: ",
		`{"REASONING": ["a"], "SCORE": "PASSABLE"}`:                        "",
		`{"REASONING": ["a"], "SCORE": `:                                   "",
		`PASS`:                                                             "",
	} {
		got := ""
		if a, err := readLynx(reply, nil); err == nil {
			got = a.label.String() + ": " + a.reason
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", reply, got, want)
		}
	}
}

func TestReadGuardian(t *testing.T) {
	for reply, want := range map[string]string{
		"<think>\n</think>\n<score> no </score>":                       "supported",
		"<score>yes</score>":                                           "not_mentioned",
		"<think>perhaps <score> no </score></think><score>YES</score>": "not_mentioned",
		"no":                          "",
		"<score> maybe </score>":      "",
		"<think><score>no</score>":    "",
		"<score> no </score> <score>": "supported",
		"<score>yes</score> It says <score>no</score>": "",
	} {
		got := ""
		if a, err := readGuardian(reply, nil); err == nil {
			got = a.label.String()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", reply, got, want)
		}
	}
}
