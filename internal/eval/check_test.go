package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
)

// stored returns a result with two supported claims of three.
func stored() *result.Row {
	return &result.Row{
		Answer: "sun moon star", Contexts: []string{"the sun", "größer als der Mond 🌕 und"},
		Status: result.Scored,
		Claims: []result.Claim{
			{ID: 0, Text: "sun", Start: 0, End: 3, Verdict: result.Supported, Score: 0.9, ChunkIDs: []int{0}, Evidence: []result.Evidence{{Chunk: 1, Start: 15, End: 21, Quote: "Mond 🌕"}}},
			{ID: 1, Text: "moon", Start: 4, End: 8, Verdict: result.Supported, Score: 0.6},
			{ID: 2, Text: "a star", Start: -1, End: -1, From: &result.Span{Start: 9, End: 13}, Verdict: result.Contradicted, Score: 0.3, Unsupported: []result.Span{{Start: 2, End: 6}}},
		},
		Faithfulness: 2.0 / 3, Support: 0.6,
	}
}

func TestCheckerDetectsEdits(t *testing.T) {
	threshold, null, one := 0.5, math.NaN(), 1.0
	refusal := func(r *result.Row) {
		*r = result.Row{
			Answer: r.Answer, Contexts: r.Contexts, Status: result.NoClaims, Reason: "refusal", Faithfulness: 1, Support: math.NaN(), Unjudged: 1,
			Skipped: []result.Skipped{{Kind: "refusal", Text: "sun", Start: 0, End: 3}},
		}
	}
	for name, tt := range map[string]struct {
		edit   func(r *result.Row)
		check  Checker
		absent absent
		want   string // prefix of the error; "" for no error
	}{
		"unchanged":                     {edit: func(*result.Row) {}, check: Checker{Threshold: &threshold, NoClaims: &null}},
		"rounded by a reader":           {edit: func(r *result.Row) { r.Faithfulness = math.Nextafter(2.0/3, 1); r.Support = 0.600001 }},
		"support beyond rounding error": {edit: func(r *result.Row) { r.Support = 0.60000105 }, want: "support: got 0.60000105, want 0.6 "},
		"faithfulness beyond tolerance": {edit: func(r *result.Row) { r.Faithfulness += 2e-9 }, want: "faithfulness: got 0.66666666866"},
		"infinite faithfulness":         {edit: func(r *result.Row) { r.Faithfulness = math.Inf(1) }, want: "faithfulness: got +Inf"},
		"support is NaN":                {edit: func(r *result.Row) { r.Support = math.NaN() }, want: "support: got null"},
		"claim score is NaN":            {edit: func(r *result.Row) { r.Claims[0].Score = math.NaN() }, want: "claim 0: score: got null"},
		"swapped verdicts": {edit: func(r *result.Row) {
			r.Claims[1].Verdict, r.Claims[2].Verdict = result.Contradicted, result.Supported
			r.Claims[2].Unsupported = nil
		}, want: "claim 2: verdict: got supported with score 0.3, want a score of at least 0.6, with which claim 1 is contradicted"},
		"supported below the threshold":          {edit: func(r *result.Row) { r.Claims[1].Score, r.Support = 0.4, 1.6/3 }, check: Checker{Threshold: &threshold}, want: "claim 1: verdict: got supported with score 0.4, want a score of at least 0.5, the threshold of the run"},
		"unsupported above the threshold":        {edit: func(r *result.Row) { r.Claims[2].Score, r.Support = 0.55, 2.05/3 }, check: Checker{Threshold: &threshold}, want: "claim 2: verdict: got contradicted with score 0.55, want a score of no more than 0.5"},
		"unsupported, rounded to threshold":      {edit: func(r *result.Row) { r.Claims[2].Score, r.Support = 0.5, 2.0/3 }, check: Checker{Threshold: &threshold}},
		"supported claim with unsupported parts": {edit: func(r *result.Row) { r.Claims[0].Unsupported = r.Claims[2].Unsupported }, want: "claim 0: unsupported: got 1 parts"},
		"unsupported part beyond the claim":      {edit: func(r *result.Row) { r.Claims[2].Unsupported[0].End = 7 }, want: "claim 2: unsupported 0: start and end: got 2 and 7"},
		"source sentence beyond the answer":      {edit: func(r *result.Row) { r.Claims[2].From.End = 14 }, want: "claim 2: from: start and end: got 9 and 14"},
		"statement from question and answer": {edit: func(r *result.Row) {
			r.Question, r.Claims[0].JudgedAs = "What rises in the east?", "Sun rises in the east."
		}},
		"statement not from question and answer": {edit: func(r *result.Row) {
			r.Question, r.Claims[0].JudgedAs = "What rises in the east?", "The moon rises."
		}, want: `claim 0: judged_as: got "The moon rises.", want "Sun rises in the east."`},
		"judged_as of a rewritten claim": {edit: func(r *result.Row) { r.Claims[2].JudgedAs = "A star." }, want: `claim 2: judged_as: got "A star.", want none`},
		"cosine out of range":            {edit: func(r *result.Row) { r.Claims[0].Reused = &result.Reused{Cosine: 2} }, want: "claim 0: cosine: got 2"},
		"decided offline":                {edit: func(r *result.Row) { r.Claims[0].Prescreened, r.Claims[1].OfflineVerdict = true, result.NotMentioned }},
		"decided offline and audited": {edit: func(r *result.Row) {
			r.Claims[0].Prescreened, r.Claims[0].OfflineVerdict = true, result.Supported
		}, want: "claim 0: offline_verdict: got supported, want none"},
		"confidence of a row": {edit: func(r *result.Row) {
			r.Claims[0].Confidence, r.Claims[2].Confidence, r.Confidence = 0.9, 0.6123456, 0.612346
		}},
		"confidence above the lowest of the claims": {edit: func(r *result.Row) {
			r.Claims[0].Confidence, r.Claims[2].Confidence, r.Confidence = 0.9, 0.6, 0.9
		}, want: "confidence: got 0.9, want 0.6, the lowest of the claims"},
		"confidence of a row whose claims have none": {edit: func(r *result.Row) { r.Confidence = 0.9 }, want: "confidence: got 0.9, want 0"},
		"confidence without a verdict": {edit: func(r *result.Row) {
			r.Status, r.Reason, r.Err = result.Failed, result.StageVerdict, errors.New("no reply")
			r.Faithfulness, r.Support, r.Confidence, r.Claims = math.NaN(), math.NaN(), 0.9, r.Claims[:1]
			r.Claims[0] = result.Claim{Text: "sun", Start: 0, End: 3, Confidence: 0.9}
		}, want: "claim 0: confidence: got 0.9, want null, since the claim has no verdict"},
		"unjudged claim": {edit: func(r *result.Row) {
			r.Claims[2] = result.Claim{ID: 2, Text: r.Claims[2].Text, Start: -1, End: -1, From: r.Claims[2].From, Verdict: result.Unjudged, Score: math.NaN()}
			r.Faithfulness, r.Support, r.Unjudged = 1, 0.75, unjudgedShare(r)
		}},
		"unjudged claim with a score":                 {edit: func(r *result.Row) { r.Claims[2].Verdict = result.Unjudged }, want: "claim 2: score: got 0.3, want null, since the claim is unjudged"},
		"unjudged claim with evidence":                {edit: func(r *result.Row) { r.Claims[2].Verdict, r.Claims[2].Score = result.Unjudged, math.NaN() }, want: "claim 2: verdict: got unjudged, want another"},
		"unjudged row with judged claims":             {edit: func(r *result.Row) { r.Status, r.Reason = result.UnjudgedRow, result.OtherLanguage }, want: "status: got unjudged, want unjudged if and only if all claims are"},
		"empty quote":                                 {edit: func(r *result.Row) { r.Claims[0].Evidence[0] = result.Evidence{} }, want: "claim 0: evidence 0: start and end: got 0 and 0"},
		"nearest role on a supported claim":           {edit: func(r *result.Row) { r.Claims[0].Evidence[0].Role = result.RoleNearest }, want: `claim 0: evidence 0: role: got "nearest"`},
		"refusal":                                     {edit: refusal, check: Checker{NoClaims: &one}},
		"refusal with wrong score":                    {edit: refusal, check: Checker{NoClaims: &null}, want: "faithfulness: got 1, want null, the value of --no-claims"},
		"refusal with null score":                     {edit: func(r *result.Row) { refusal(r); r.Faithfulness = math.NaN() }, check: Checker{NoClaims: &one}, want: "faithfulness: got null, want 1, the value of --no-claims"},
		"refusal without skipped sentence":            {edit: func(r *result.Row) { refusal(r); r.Skipped = nil }, want: `reason: got "refusal", want ["empty"]`},
		"refusal from CSV":                            {edit: func(r *result.Row) { refusal(r); r.Skipped = nil }, absent: absent{skipped: true}},
		"unknown reason from CSV":                     {edit: func(r *result.Row) { refusal(r); r.Skipped, r.Reason = nil, "x" }, absent: absent{skipped: true}, want: `reason: got "x", want ["refusal" "empty" "nothing_claimed"]`},
		"no answer or contexts":                       {edit: func(r *result.Row) { r.Answer, r.Contexts = "", nil }, absent: absent{answer: true, contexts: true}},
		"no answer or contexts, offsets out of order": {edit: func(r *result.Row) { r.Answer, r.Contexts = "", nil; r.Claims[0].Start = 3 }, absent: absent{answer: true, contexts: true}, want: "claim 0: start and end: got 3 and 3, want 0 <= start < end"},
		"no answer or contexts, huge chunk id":        {edit: func(r *result.Row) { r.Answer, r.Contexts = "", nil; r.Claims[0].ChunkIDs[0] = math.MaxInt }, absent: absent{answer: true, contexts: true}, want: "claim 0: chunk_ids: got [9223372036854775807]"},
		"claims but empty answer":                     {edit: func(r *result.Row) { r.Answer = "" }, want: "claim 0: start and end: got 0 and 3"},
		"nonempty answer with reason empty": {
			edit: func(r *result.Row) {
				*r = result.Row{Answer: r.Answer, Contexts: r.Contexts, Status: result.NoClaims, Reason: "empty", Faithfulness: 1, Support: math.NaN()}
			},
			want: `reason: got "empty", want another, since the answer has`,
		},
		"answer is only markup": {edit: func(r *result.Row) {
			*r = result.Row{Answer: "<br>", Unjudged: 1, Status: result.NoClaims, Reason: "empty", Faithfulness: 1, Support: math.NaN()}
		}},
		"no_contexts with contexts": {edit: func(r *result.Row) { r.Reason = result.NoContexts }, want: `reason: got "no_contexts", want another`},
		"no_contexts with a supported claim": {
			edit: func(r *result.Row) { r.Contexts, r.Reason = nil, result.NoContexts }, absent: absent{contexts: true},
			want: "verdict: got supported, want not_mentioned",
		},
		"scored without text":  {edit: func(r *result.Row) { r.Contexts = []string{" "} }, want: "reason: got null, want no_contexts"},
		"skipped with claims":  {edit: func(r *result.Row) { r.Status = result.SkippedRow }, want: "status: got skipped, want no claims"},
		"negative token count": {edit: func(r *result.Row) { r.Usage.CompletionTokens = -1 }, want: "usage: got a negative number"},
	} {
		t.Run(name, func(t *testing.T) {
			r := stored()
			tt.edit(r)
			err := tt.check.check(r, tt.absent)
			var mismatch *result.MismatchError
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case tt.want != "" && (!errors.As(err, &mismatch) || !strings.HasPrefix(err.Error(), tt.want)):
				t.Errorf("got %v, want prefix %q", err, tt.want)
			}
		})
	}
}

func TestCodePointsMatchRunes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "abcdefgh", strings.Repeat("x", 63), "é", "🌕", "\xff", "日本", "\xe2\x80"}
	var p codePoints
	for range 2000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		runes := []rune(text)
		p.reset(text)
		start := random.IntN(len(runes) + 1)
		end := start + random.IntN(len(runes)-start+2)
		got, ok := p.slice(start, end)
		if ok != (end <= len(runes)) || p.len() != len(runes) {
			t.Fatalf("%q from %d to %d: got %v and length %d, want length %d", text, start, end, ok, p.len(), len(runes))
		}
		if ok && utf8.RuneCountInString(got) != end-start || ok && utf8.ValidString(text) && got != string(runes[start:end]) {
			t.Fatalf("%q from %d to %d: got %q, want %q", text, start, end, got, string(runes[start:end]))
		}
	}
}

// All rows without claims have the same score, even if --no-claims is unknown.
func TestCheckerRequiresSameScoreWithoutClaims(t *testing.T) {
	var c Checker
	row := func(f float64) error {
		return c.check(&result.Row{Status: result.NoClaims, Reason: "empty", Faithfulness: f, Support: math.NaN()}, absent{})
	}
	if err := errors.Join(row(math.NaN()), row(math.NaN())); err != nil {
		t.Fatal(err)
	}
	if err := row(1); err == nil || err.Error() != "faithfulness: got 1, want null, the value of --no-claims" {
		t.Errorf("got %v, want an error", err)
	}
}

// Removing a claim leaves a part of the answer that is in no judged claim.
func TestCheckerDetectsMissingClaim(t *testing.T) {
	const answer = "- Paris is big.\n\n<p>The moon is made of cheese [1].</p> Bye!"
	e, err := extract.Sentences{}.Extract(t.Context(), "", answer)
	if err != nil || len(e.Claims) != 2 || len(e.Skipped) != 1 {
		t.Fatalf("got %+v, %v, want 2 claims and 1 skipped sentence", e, err)
	}
	r := &result.Row{Answer: answer, Contexts: []string{"Paris"}, Status: result.Scored, Faithfulness: 0.5, Support: 0.5, Unjudged: 3.0 / 13}
	for _, c := range e.Claims {
		r.Claims = append(r.Claims, result.Claim{ID: c.ID, Text: c.Text, Start: c.Start, End: c.End, Verdict: result.NotMentioned})
	}
	r.Claims[0].Verdict, r.Claims[0].Score = result.Supported, 1
	for _, s := range e.Skipped {
		r.Skipped = append(r.Skipped, result.Skipped{Kind: string(s.Kind), Text: s.Text, Start: s.Start, End: s.End})
	}
	var c Checker
	if err := c.check(r, absent{}); err != nil {
		t.Fatal(err)
	}
	r.Claims, r.Faithfulness, r.Support = r.Claims[:1], 1, 1
	if err := c.check(r, absent{}); err == nil || !strings.Contains(err.Error(), "claims: got nothing of the answer from 15 to ") {
		t.Errorf("got %v, want an error", err)
	}
	r.Skipped = []result.Skipped{{Kind: "greeting", Text: answer[10:15], Start: 10, End: 15}}
	if err := c.check(r, absent{}); err == nil || !strings.Contains(err.Error(), "start: got 10, want ") {
		t.Errorf("got %v, want an error", err)
	}
}
