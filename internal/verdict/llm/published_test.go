package llm

import (
	"testing"
)

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
