package llm

import (
	"encoding/json"
	"testing"
)

func TestAnswerStripsReasoning(t *testing.T) {
	for reply, want := range map[string]string{ // "-" means no answer
		"Yes":                                      "Yes",
		"<think>no</think>Yes":                     "Yes",
		"no, wait</think>\nYes":                    "\nYes",
		"a</think>b</think>c":                      "c",
		"no</THINKING>Yes":                         "Yes",
		"no</reasoning>Yes":                        "Yes",
		"[THINK]no[/THINK]Yes":                     "Yes",
		"no[/THINK]Yes":                            "Yes",
		"◁think▷no◁/think▷Yes":                     "Yes",
		"no</think>":                               "",
		"<think>Yes":                               "-",
		"Yes <reasoning>but":                       "-",
		"<think>a</think><think>Yes":               "-",
		"İ<think>no</think>Yes":                    "Yes", // which strings.ToLower makes longer
		"<|channel|>analysis<|message|>no":         "-",
		"<|channel|>analysis":                      "-",
		"<|channel|>final<|message|>Yes":           "Yes",
		"<|channel|>final<|message|>Yes<|return|>": "Yes",
		"<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>Yes<|return|>": "Yes",
		"<|channel|>final<|message|>no<|end|><|start|>assistant<|channel|>analysis<|message|>Yes":                             "-",
		"analysisThe user asks. assistantfinalYes":                                                                            "Yes",
		"analysisYes, the user":    "-",
		"analysis is not the word": "analysis is not the word",
	} {
		got, ok := Answer(reply)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", reply, got, want)
		}
	}
}

func TestParseIndex(t *testing.T) {
	for raw, want := range map[string]int{
		`0`: 0, `12`: 12, `"3"`: 3, `1.0`: 1, `"1.0"`: 1, `" 4 "`: 4, `"claim_1"`: 1, `"Claim 2"`: 2, `"#5"`: 5, `"sentence-7"`: 7,
		``: -1, `null`: -1, `true`: -1, `-1`: -1, `"-1"`: -1, `1.5`: -1, `"1."`: -1, `1e2`: -1, `""`: -1, `"one"`: -1, `"claim"`: -1, `"1 2"`: -1, `1234567`: -1, `[1]`: -1,
	} {
		if got := ParseIndex(json.RawMessage(raw)); got != want {
			t.Errorf("%s: got %d, want %d", raw, got, want)
		}
	}
}
