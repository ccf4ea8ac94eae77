// Package resulttest provides result rows for tests.
package resulttest

import (
	"errors"
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// Scored returns a scored row with two claims and kept columns. Its scores are
// arbitrary and do not follow from its claims.
func Scored() *result.Row {
	return &result.Row{
		Index: 7, ID: "a", Question: "q?", Answer: "Born in Ulm. Died.", Contexts: []string{"born in Ulm", "c\"2\n"},
		Kept:         []dataset.Column{{Name: "model", Value: []byte(`"m-1"`)}, {Name: "n", Value: []byte("{\n \"a\": [1,\r\n2] }")}},
		Status:       result.Scored,
		Faithfulness: 1.0 / 3, Support: 0.49382716, Unjudged: 0.25,
		Claims: []result.Claim{
			{
				ID: 0, Text: "Born in Ulm.", Start: 0, End: 12,
				Verdict: result.Supported, Score: 0.98765432, Reason: "stated", ChunkIDs: []int{0, 1},
				Evidence: []result.Evidence{{Chunk: 0, Start: 8, End: 11, Quote: "Ulm"}, {Chunk: 0, Start: 0, End: 4, Quote: "born"}},
			},
			{ID: 1, Text: "He died.", Start: -1, End: -1, Verdict: result.Contradicted, Score: 0, Reason: "no"},
		},
		Skipped: []result.Skipped{{Kind: "greeting", Text: "Hi!", Start: 1, End: 4}, {Kind: "marks", Text: "*", Start: 5, End: 6}},
		Usage:   usage.Usage{Requests: 1, PromptTokens: 812, CompletionTokens: 94, CachedRequests: 2},
	}
}

// NoClaims returns the row of a refusal, which has no claims.
func NoClaims() *result.Row {
	return &result.Row{
		Index: 8, ID: "b", Answer: "I don't know.", Contexts: []string{"c"},
		Status: result.NoClaims, Reason: "refusal", Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: 1,
	}
}

// JudgeFailed returns a row whose judge failed.
func JudgeFailed() *result.Row {
	return &result.Row{
		Index: 9, ID: "9", Answer: "=1", Contexts: []string{"c"},
		Status: result.Failed, Reason: result.StageVerdict, Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN(),
		Claims: []result.Claim{{ID: 0, Text: "=1", Start: 0, End: 2, Score: math.NaN()}},
		Err:    errors.New("verdict: no reply"),
	}
}

// ReadFailed returns a row that could not be read.
func ReadFailed() *result.Row {
	return &result.Row{
		Index: 3, ID: "3", Status: result.Failed, Reason: result.StageRead,
		Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN(), Err: errors.New("f.jsonl:4: answer: want a string, got null"),
	}
}

// WithOptionalFields returns a scored row with all optional fields except citations.
func WithOptionalFields() *result.Row {
	r := Scored()
	r.Index, r.ID, r.Confidence, r.Unjudged = 10, "m", 0.61234567, 0
	r.Claims[0].Lead, r.Claims[0].JudgedAs = "Life:", "He was born."
	r.Marks = []result.Mark{result.Downgraded, result.OneWord}
	c := &r.Claims[1]
	c.Confidence, r.Claims[0].Confidence = r.Confidence, 0.87654321
	c.From, c.Invented, c.Graded = &result.Span{Start: 13, End: 18}, true, true
	c.Unsupported = []result.Span{{Start: 0, End: 2}, {Start: 3, End: 7}}
	c.Reused = &result.Reused{By: "semantic", Statement: "He has \"died\".", Cosine: 0.91234567}
	return r
}

// WithMarkup returns a scored row whose texts contain markup of every output format.
func WithMarkup() *result.Row {
	r := Scored()
	r.Index, r.ID, r.Question, r.Answer = 11, "\x00|`<b>\u202e@evil #1 ]]>", "\xff\xfe\U0001f315\u2028\ufffe", "x\r\n::error::EVIL\n##[error]EVIL"
	r.Contexts, r.Kept, r.File, r.Line = []string{"", "\x1b[31m", strings.Repeat("]]>", 9)}, nil, "a\"<&>.jsonl", 3
	r.Unjudged = 0.2
	c := &r.Claims[1]
	c.Text = "``` EVIL\n\n# EVIL <img src=x onerror=EVIL> ![EVIL](http://evil.example) @EVIL #12 | EVIL | https://evil.example <!-- \u202eEVIL -->"
	c.Reason = "`` ` <script>EVIL</script> %0A::set-output name=EVIL:: ]]> &lt; \x07\x00\u0085"
	c.Evidence = []result.Evidence{{Quote: "EVIL </failure> \ufffe \\` \\| [EVIL]: http://evil.example"}}
	return r
}

// WithCitations returns a scored row with three claims. The first cites two chunks, of which
// one supports it, the second cites two that may support it together, and the third
// has an unresolved citation.
func WithCitations() *result.Row {
	return &result.Row{
		Index: 12, ID: "cites", Answer: "sun [1][2]. moon [1, 3]. star [<b>].", Contexts: []string{"sun", "x", "y"},
		Status: result.Scored, Faithfulness: 1, Support: 1,
		Claims: []result.Claim{
			{
				Text: "sun.", Start: 0, End: 11, Verdict: result.Supported, Score: 1,
				Citations: []result.Citation{
					{Text: "[1]", Start: 4, End: 7, Verdict: result.Supported},
					{Text: "[2]", Start: 7, End: 10, Chunk: 1, Verdict: result.NotMentioned},
				},
			},
			{
				ID: 1, Text: "moon.", Start: 12, End: 24, Verdict: result.Supported, Score: 1,
				Citations: []result.Citation{
					{Text: "[1, 3]", Start: 17, End: 23, Verdict: result.NotMentioned},
					{Text: "[1, 3]", Start: 17, End: 23, Chunk: 2, Verdict: result.Contradicted},
				},
			},
			{
				ID: 2, Text: "star.", Start: 25, End: 36, Verdict: result.Supported, Score: 1,
				Citations: []result.Citation{{Text: "[<b>]", Start: 30, End: 35, Chunk: -1}},
			},
		},
		Citations: &result.CitationScores{Recall: 2.0 / 3, Precision: 0.75, Unresolved: 1},
	}
}

// WithKeptColumns returns rows of every status with kept columns of every type.
func WithKeptColumns() []*result.Row {
	return []*result.Row{
		withKept(JudgeFailed()),
		withKept(
			Scored(), "text", `"a \"b\" é"`, "flag", "true", "whole", "-9223372036854775808", "number", "1", "exact", "9007199254740993",
			"huge", "18446744073709551616", "mixed", `"1"`, "list", `["a", {"b": null}]`, "none", "null", "a.b", "1e3", "ÄÖ", `""`,
		),
		withKept(
			NoClaims(), "text", `"null"`, "flag", "false", "whole", "9223372036854775807", "number", "-0.5", "exact", "0.5",
			"huge", "1", "mixed", "1", "list", "3", "none", "null", "a.b", "-2.50", "ÄÖ", `"\u0000"`,
		),
		withKept(WithOptionalFields(), "text", "null", "number", "null", "late", "7"),
		withKept(WithMarkup()),
		WithCitations(),
	}
}

// withKept sets the kept columns of r to the given name-value pairs.
func withKept(r *result.Row, pairs ...string) *result.Row {
	r.Kept = nil
	for i := 0; i < len(pairs); i += 2 {
		r.Kept = append(r.Kept, dataset.Column{Name: pairs[i], Value: []byte(pairs[i+1])})
	}
	return r
}
