package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

// hostile is a text that tries to break out of every context.
const hostile = "</script></title></style><script>window.hacked=1</script><!--<script>" +
	"<img src=x onerror=\"window.hacked=2\"><a href=\"javascript:window.hacked=3\">a</a>" +
	"<svg onload=window.hacked=4>'\"`{{.}}${window.hacked=5}\u2028window.hacked=6\u2029\u202eevil\u202c]]>"

// scoredRow has characters of one to four bytes before every span.
func scoredRow() *result.Row {
	return &result.Row{
		Index: 0, ID: "spans", Question: "東京タワーは？", Answer: "😀 Opened in 1958. 👩‍🚀 高さは999メートル。 It is red.",
		Contexts: []string{"🗼🗼 東京タワー opened in 1958, 🎉 and is 333 m high.", "中文 🐼 red"},
		Kept:     []dataset.Column{{Name: "model", Value: []byte(`"m-1"`)}, {Name: "big", Value: []byte("12345678901234567890")}},
		Status:   result.Scored,
		Claims: []result.Claim{
			{
				ID: 0, Text: "Opened in 1958.", Start: 2, End: 17, Verdict: result.Supported, Score: 0.98, Confidence: 0.95, Reason: "stated", ChunkIDs: []int{0},
				Evidence: []result.Evidence{{Chunk: 0, Start: 9, End: 23, Quote: "opened in 1958"}},
			},
			{
				ID: 1, Text: "高さは999メートル。", Start: 22, End: 33, Verdict: result.Contradicted, Score: 0.01, Confidence: 0.62, Reason: "333, not 999",
				Evidence:    []result.Evidence{{Chunk: 0, Start: 34, End: 39, Quote: "333 m", Role: result.RoleContradicts}},
				Unsupported: []result.Span{{Start: 3, End: 10}},
			},
			{
				ID: 2, Text: "The tower is red.", Start: -1, End: -1, From: &result.Span{Start: 34, End: 44}, Verdict: result.NotMentioned, Score: 0.3,
				Evidence: []result.Evidence{{Chunk: 1, Start: 3, End: 8, Quote: "🐼 red", Role: result.RoleNearest}},
			},
		},
		Faithfulness: 1.0 / 3, Support: 0.43, Confidence: 0.62,
	}
}

func hostileRow() *result.Row {
	return &result.Row{
		Index: 1, ID: hostile, Question: hostile, Answer: hostile, Contexts: []string{hostile},
		Kept:   []dataset.Column{{Name: hostile, Value: must(json.Marshal(hostile))}, {Name: "__proto__", Value: []byte(`{"faithfulness":9}`)}},
		Status: result.Scored,
		Claims: []result.Claim{
			{
				ID: 0, Text: hostile, Start: 0, End: utf8.RuneCountInString(hostile), Verdict: result.Supported, Score: 1, Reason: hostile, ChunkIDs: []int{0},
				Evidence: []result.Evidence{{Chunk: 0, Start: 0, End: utf8.RuneCountInString(hostile), Quote: hostile}},
			},
		},
		Faithfulness: 1, Support: 1,
	}
}

func refusedRow() *result.Row {
	return &result.Row{
		Index: 2, ID: "refused", Answer: "I don't know.", Contexts: []string{"c"},
		Status: result.NoClaims, Reason: "refusal", Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: 1,
		Skipped: []result.Skipped{{Kind: "refusal", Text: "I don't know.", Start: 0, End: 13}},
	}
}

func failedRow() *result.Row {
	return &result.Row{
		Index: 3, ID: "3", Answer: "One. Two.", Contexts: []string{"c"},
		Status: result.Failed, Reason: "verdict", Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN(),
		Claims: []result.Claim{{ID: 0, Text: "One.", Start: 0, End: 4}, {ID: 1, Text: "Two.", Start: 5, End: 9}},
		Err:    errors.New("verdict: no reply " + hostile),
	}
}

// plainRow returns a row with one claim.
func plainRow(i int) *result.Row {
	r := &result.Row{
		Index: i, ID: fmt.Sprintf("row-%d", i), Question: fmt.Sprintf("What is number %d?", i),
		Answer: fmt.Sprintf("It is %d.", i), Contexts: []string{fmt.Sprintf("The number is %d.", i)},
		Status: result.Scored,
		Claims: []result.Claim{{Text: fmt.Sprintf("It is %d.", i), Start: 0, End: len(fmt.Sprintf("It is %d.", i))}},
	}
	r.Support = float64(i%7) / 7
	label := result.NotMentioned
	if i%7 > 3 {
		label, r.Faithfulness = result.Supported, 1
	}
	r.Claims[0].Verdict, r.Claims[0].Score = label, r.Support
	return r
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
