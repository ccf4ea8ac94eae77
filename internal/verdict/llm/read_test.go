package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestReadWord(t *testing.T) {
	told := []string{"Yes, you can dance. It is true that no dogs were there.", "Supported is what the third witness said."}
	const s, c, n, none = "supported", "contradicted", "not_mentioned", ""
	for reply, want := range map[string][2]string{ // the verdict and the deciding words
		"yes":                                     {s, "yes"},
		" **YES**\n":                              {s, "yes"},
		"\"yes\"":                                 {s, "yes"},
		"“Yes.”":                                  {s, "yes"},
		"'true'":                                  {s, "true"},
		"- Supported":                             {s, "supported"},
		"The answer is: yes":                      {s, "yes"},
		"The claim is supported.":                 {s, "supported"},
		"Yes, the chunks say so. It is":           {s, "yes"},
		"<think>No? Hm.</think>\n\nYes":           {s, "yes"},
		`{"verdict": "supported"}`:                {s, "supported"},
		"```json\n{\"answer\": true}\n```":        {s, "true"},
		"Yes. {\"chunks\": [{\"id\":0":            {s, "yes"},
		"no":                                      {n, "no"},
		"No, it is not.":                          {n, "no"},
		"No the chunks do not say that":           {none, "does not start"},
		"False":                                   {n, "false"},
		"Not supported.":                          {n, "not supported"},
		"The claim isn't supported":               {none, "does not start"},
		"The claim isn’t true.":                   {none, "does not start"},
		"not_mentioned":                           {n, "not mentioned"},
		"It is not mentioned, so no.":             {none, "does not start"},
		"contradicted":                            {c, "contradicted"},
		"No, it is contradicted.":                 {n, "no"},
		`{"verdict":"Contradicted"}`:              {c, "contradicted"},
		"No. \"Yes, you can dance\" is not there": {none, "clear yes or no"},
		"":                                    {none, "it is empty"},
		"The sources are about dogs.":         {none, "does not start"},
		"yesterday":                           {none, "does not start"},
		"sup\u200bported":                     {none, "does not start"},
		"1":                                   {none, "does not start"},
		"one two three four five six 7 8 yes": {none, "does not start"},
		"No-one disputes it.":                 {none, "does not start"},
		"No doubt.":                           {none, "does not start"},
		"The claim is \"Yes, you can dance\"": {none, "does not start"},
		"The claim is “Yes, you can":          {none, "does not start"},
		"Yes or no: do the chunks support":    {none, "does not start"},
		"Yes, but the number differs":         {none, "clear yes or no"},
		"Yes, however the price differs.":     {none, "clear yes or no"},
		"Yes, the claim is incorrect.":        {none, "clear yes or no"},
		"No, that is right.":                  {none, "clear yes or no"},
		"True only of the first":              {none, "does not start"},
		"not fully supported":                 {none, "does not start"},
		"Supported?":                          {none, "does not start"},
		"Whether it is supported":             {none, "does not start"},
		"contradicted, not mentioned":         {none, "clear yes or no"},
		"I can't say yes":                     {none, "does not start"},
		"Yes, you can dance":                  {none, "repeats the prompt"},
		"It says: yes you can, true":          {none, "does not start"},
		"true that no dogs were":              {none, "does not start"},
		"supported is what the third":         {none, "does not start"},
		"<think>Yes, it is":                   {none, "still reasons"},
		`{"verdicts":[{"verdict":"supported`:  {none, "JSON"},
		`{"chunks": "yes", "claims": "no"}`:   {none, "JSON"},
		`["yes"]`:                             {none, "does not start"},
		`{"verdict":"yes"} or so`:             {none, "JSON"},
		`{"verdict":1}`:                       {none, "JSON"},
	} {
		a, err := readWord(reply, told, Chunks)
		switch {
		case want[0] == none:
			if err == nil || !strings.Contains(err.Error(), want[1]) {
				t.Errorf("%q: got %+v, %v, want an error with %q", reply, a, err, want[1])
			}
		case err != nil:
			t.Errorf("%q: got %v", reply, err)
		case a.label.String() != want[0] || a.reason != "one-word reply: "+want[1]:
			t.Errorf("%q: got %v, %q, want %v", reply, a.label, a.reason, want)
		}
	}
}

// Any verdict must come from a word of the reply.
func FuzzReadWord(f *testing.F) {
	for _, s := range fakeReplies {
		f.Add(s)
	}
	for _, s := range []string{"Yes.", "not_mentioned", "The claim is \"no\"", "isn’t true", "<think></think>no", "\xff yes", `{"a":"no"}`, "''''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		a, err := readWord(reply, []string{"a claim", "a chunk"}, Chunks)
		if (a == nil) != (err != nil) {
			t.Fatalf("got %+v and error %v, want exactly one", a, err)
		}
		if err != nil {
			return
		}
		words := strings.TrimPrefix(a.reason, "one-word reply: ")
		positive := words == "yes" || words == "supported" || words == "true"
		if positive != (a.label == verdict.Supported) || len(a.chunks) > 0 || a.quote != "" {
			t.Errorf("got %+v, want supported: %t without chunks", a, positive)
		}
		last := words[strings.LastIndexByte(words, ' ')+1:]
		if !strings.Contains(strings.ToLower(reply), last) && !strings.Contains(reply, `\u`) {
			t.Errorf("reply %q: got reason %q, want a word of the reply", reply, a.reason)
		}
	})
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
		`{"REASONING": "It has 'SCORE: PASS'.", "SCORE": "FAIL: no"}`:      "",
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

func TestParseLabelAcceptsCommonSpellings(t *testing.T) {
	const none = verdict.Label(255)
	for raw, want := range map[string]verdict.Label{
		`"supported"`: verdict.Supported, `"Supported."`: verdict.Supported, `" YES "`: verdict.Supported, `"true"`: verdict.Supported,
		`true`: verdict.Supported, `1`: verdict.Supported, `1.0`: verdict.Supported, `"1"`: verdict.Supported, `"1.00"`: verdict.Supported, `"1."`: verdict.Supported,
		`"faithful"`: verdict.Supported, `"Entailed"`: verdict.Supported,
		`"contradicted"`:  verdict.Contradicted,
		`"not_mentioned"`: verdict.NotMentioned, `"Not mentioned"`: verdict.NotMentioned, `"not-supported"`: verdict.NotMentioned,
		`"UNSUPPORTED"`: verdict.NotMentioned, `"unfaithful"`: verdict.NotMentioned, `"no"`: verdict.NotMentioned,
		`false`: verdict.NotMentioned, `0`: verdict.NotMentioned, `0.0`: verdict.NotMentioned, `"0"`: verdict.NotMentioned,
		`2`: none, `-1`: none, `0.5`: none, `1.5`: none, `1e0`: none, `"10"`: none, `"partially"`: none, `"partially supported"`: none,
		`"yes and no"`: none, `"supported?"`: none, `null`: none, `""`: none, ``: none, `[1]`: none, `{"verdict":1}`: none,
	} {
		got, ok := parseLabel(json.RawMessage(raw))
		if !ok {
			got = none
		}
		if got != want {
			t.Errorf("%s: got %v, want %v", raw, got, want)
		}
	}
}
