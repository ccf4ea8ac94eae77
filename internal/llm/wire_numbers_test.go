package llm

import "testing"

func TestReplaceNonNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":-Infinity,"b":[NaN, Infinity]}`:      `{"a":-9999,"b":["NaN", "Infinity"]}`,
		`{"a":"NaN \" -Infinity","logprob":NaN}`:   `{"a":"NaN \" -Infinity","logprob":"NaN"}`,
		`{"a":"-Infinity"}`:                        `{"a":"-Infinity"}`,
		`{"a":`:                                    `{"a":`,
		`{"choices":[{"logprobs":{"content":[]}}]`: `{"choices":[{"logprobs":{"content":[]}}]`,
	} {
		if got := string(replaceNonNumbers([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
