package local

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func newTokenClassifier(t *testing.T, o TokenClassifierOptions) *TokenClassifier {
	t.Helper()
	o.Options = options(t)
	j, err := NewTokenClassifier(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// The files were written by the lettucedetect package, see testdata/spans.py.
func TestSpansMatchLettuceDetect(t *testing.T) {
	compareSpans(t, "lettucedetect.json", "modernbert-tokens", LettuceDetectLayout(), 10)
}

// The second version uses the tokenizer of mmBERT, which maps spaces to ▁.
func TestSpansMatchLettuceDetect2(t *testing.T) {
	compareSpans(t, "lettucedetect2.json", "mmbert-tokens", lettuceDetect2Layout(), 0)
}

// compareSpans compares spans and probabilities of a golden model in internal/encoder with
// those in a file. At least minGrouped cases must have several groups of passages.
func compareSpans(t *testing.T, file, model string, l TokenClassifierLayout, minGrouped int) {
	t.Helper()
	var cases []struct {
		Question, Answer string
		Contexts         []string
		Limit            int
		Groups           []int
		Probabilities    []float64
		Spans            [][2]int
	}
	readGolden(t, file, &cases)
	if len(cases) != 50 {
		t.Fatalf("got %d cases, want 50", len(cases))
	}
	m := openModel(t, model, func(o *encoder.Options) { o.LabelNames = l.Labels })
	largest, grouped := 0.0, 0
	for i, c := range cases {
		l.Limit = c.Limit
		j := newTokenClassifier(t, TokenClassifierOptions{Model: m, Layout: l, Strictest: true})
		groups, err := j.groups(t.Context(), verdict.Task{Question: c.Question, Contexts: c.Contexts}, c.Answer)
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int
		for _, g := range groups {
			sizes = append(sizes, len(g))
		}
		if !reflect.DeepEqual(sizes, c.Groups) {
			t.Errorf("case %d: got groups of %v passages, want %v", i, sizes, c.Groups)
			continue
		}
		if len(groups) > 1 {
			grouped++
		}
		marks, err := j.marks(t.Context(), c.Question, c.Answer, groups)
		if err != nil {
			t.Fatal(err)
		}
		if len(marks) != len(c.Probabilities) {
			t.Fatalf("case %d: got %d tokens, want %d", i, len(marks), len(c.Probabilities))
		}
		for k, mark := range marks {
			largest = max(largest, math.Abs(mark.probability-c.Probabilities[k]))
		}
		claim := extract.Claim{Text: c.Answer, Start: 0, End: utf8.RuneCountInString(c.Answer)}
		got, err := j.Judge(t.Context(), verdict.Task{Question: c.Question, Contexts: c.Contexts, Claims: []extract.Claim{claim}})
		if err != nil {
			t.Fatal(err)
		}
		const space = " \t\r\n"
		// Spans of the reference may begin or end with a space, and overlap within a
		// character. ragfaith merges those with only a space in between.
		var want []extract.Span
		runes := []rune(c.Answer)
		for _, s := range c.Spans {
			for s[0] < s[1] && strings.ContainsRune(space, runes[s[0]]) {
				s[0]++
			}
			for s[0] < s[1] && strings.ContainsRune(space, runes[s[1]-1]) {
				s[1]--
			}
			n := len(want)
			switch {
			case s[0] == s[1]:
			case n > 0 && (s[0] <= want[n-1].End || strings.TrimSpace(string(runes[want[n-1].End:s[0]])) == ""):
				want[n-1].End = max(want[n-1].End, s[1])
			default:
				want = append(want, extract.Span{Start: s[0], End: s[1]})
			}
		}
		if v := got.Verdicts[0]; v.Label != verdict.Supported && !reflect.DeepEqual(v.Unsupported, want) {
			t.Errorf("case %d: got spans %v, want %v", i, v.Unsupported, want)
		}
	}
	t.Logf("probabilities differ by at most %.1g; %d cases in several groups", largest, grouped)
	if largest > 1e-4 || grouped < minGrouped {
		t.Errorf("probabilities differ by %g, %d cases in several groups; want at most 1e-4 and at least %d", largest, grouped, minGrouped)
	}
}

// A tokenModel finds words unsupported that the first text lacks.
type tokenModel struct {
	wordCounter
	calls int
}

func (m *tokenModel) Info() encoder.Info {
	return encoder.Info{
		Kind: encoder.Tokens, MaxTokens: m.limit, Labels: []string{"supported", "hallucinated"},
		Meanings: []encoder.Meaning{encoder.Supported, encoder.NotMentioned},
	}
}

func (m *tokenModel) Tokens(_ context.Context, pairs []encoder.Pair) ([]encoder.Tagged, error) {
	var all []encoder.Tagged
	for _, p := range pairs {
		m.calls++
		known := map[string]bool{}
		for _, w := range strings.Fields(p.Premise) {
			known[strings.Trim(w, ".")] = true
		}
		out := encoder.Tagged{Logits: [][]float32{{9, -9}}, Offsets: [][2]int{{}}, Sequence: []int8{-1}}
		at := 0
		for _, w := range strings.Fields(p.Hypothesis) {
			i := at + strings.Index(p.Hypothesis[at:], w)
			at = i + len(w)
			logits := []float32{-2, 2}
			if known[strings.Trim(w, ".")] {
				logits = []float32{2, -2}
			}
			if m.nan {
				logits[0] = float32(math.NaN())
			}
			out.Logits, out.Offsets, out.Sequence = append(out.Logits, logits), append(out.Offsets, [2]int{max(0, i-1), at}), append(out.Sequence, 1)
		}
		all = append(all, out)
	}
	return all, nil
}

func TestTokenClassifierMarksUnsupportedWords(t *testing.T) {
	m := &tokenModel{}
	j := newTokenClassifier(t, TokenClassifierOptions{Model: m, Layout: TokenClassifierLayout{Passage: "%s", Join: "\n", QA: "{question} {passages}", Summary: "{passages}"}})
	list := claims("The café opened in May 1999.", "It serves tea.", "It closed.")
	list[1].Lead = "Menu"
	got, err := j.Judge(t.Context(), verdict.Task{Question: "When?", Contexts: []string{"The café opened in May 1998.", "Menu: It serves tea."}, Claims: list})
	if err != nil || len(got.Verdicts) != 3 || m.calls != 1 {
		t.Fatalf("got %d verdicts, %d calls, error %v, want 3 verdicts of one call", len(got.Verdicts), m.calls, err)
	}
	p := 1 / (1 + math.Exp(4))
	for i, want := range []verdict.Verdict{
		{ClaimID: 0, Score: p, Label: verdict.NotMentioned, Unsupported: []extract.Span{{Start: 23, End: 28}}},
		{ClaimID: 1, Score: 1 - p, Label: verdict.Supported, ChunkIDs: []int{1}},
		{ClaimID: 2, Score: p, Label: verdict.NotMentioned, Unsupported: []extract.Span{{Start: 3, End: 10}}},
	} {
		v := got.Verdicts[i]
		if v.ClaimID != want.ClaimID || math.Abs(v.Score-want.Score) > 1e-6 || v.Label != want.Label ||
			!reflect.DeepEqual(v.Unsupported, want.Unsupported) || !reflect.DeepEqual(v.ChunkIDs, want.ChunkIDs) {
			t.Errorf("claim %d: got %+v, want %+v", i, v, want)
		}
	}
	if got := got.Verdicts[0].Reason; !strings.Contains(got, "no support for “1999.”") {
		t.Errorf("got reason %q, want one that quotes 1999", got)
	}
}

// Support in any group of contexts counts, unless the judge is Strictest.
func TestLongContextsAreReadInGroups(t *testing.T) {
	filler := strings.Repeat("Bees make honey. ", 6)
	contexts := []string{filler + "Tea is served.", filler + "Bread is baked.", filler}
	layout := TokenClassifierLayout{Passage: "%s", Join: "\n", QA: "{question} {passages}", Summary: "{passages}", Limit: 40}
	for _, strictest := range []bool{false, true} {
		m := &tokenModel{}
		j := newTokenClassifier(t, TokenClassifierOptions{Model: m, Layout: layout, Strictest: strictest})
		got, err := j.Judge(t.Context(), verdict.Task{Question: "What?", Contexts: contexts, Claims: claims("Tea is served.", "Bread is baked.")})
		if err != nil || m.calls != 3 {
			t.Fatalf("got %d calls, error %v, want 3 calls", m.calls, err)
		}
		for i, v := range got.Verdicts {
			if (v.Label == verdict.Supported) == strictest {
				t.Errorf("strictest %t: got %v for claim %d", strictest, v.Label, i)
			}
		}
	}
}

func TestTokenClassifierRejectsWhatItCannotRead(t *testing.T) {
	layout := TokenClassifierLayout{Passage: "%s", Join: "\n", QA: "{question} {passages}", Summary: "{passages}", Limit: 24}
	task := verdict.Task{Contexts: []string{"a b c"}}
	for _, tt := range []struct {
		name, claim, question string
		nan                   bool
		want                  string
	}{
		{"a claim that leaves an eighth for the contexts", strings.Repeat("word ", 18), "", false, ""},
		{"long claim", strings.Repeat("word ", 30), "", false, "a claim of 30 tokens"},
		{"long question", "a b", strings.Repeat("why ", 30), false, "leave no room"},
		{"NaN", "a b", "", true, "not a number"},
	} {
		task.Claims, task.Question = claims(tt.claim), tt.question
		_, err := newTokenClassifier(t, TokenClassifierOptions{Model: &tokenModel{wordCounter: wordCounter{nan: tt.nan}}, Layout: layout}).Judge(t.Context(), task)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.want)
		}
	}
	got, err := newTokenClassifier(t, TokenClassifierOptions{Model: &tokenModel{}}).Judge(t.Context(), verdict.Task{Contexts: []string{" "}, Claims: claims("a")})
	if err != nil || got.Verdicts[0].Score != 0 || got.Verdicts[0].Label != verdict.NotMentioned {
		t.Errorf("blank contexts: got %+v, error %v, want score 0", got.Verdicts, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newTokenClassifier(t, TokenClassifierOptions{Model: &tokenModel{}}).Judge(ctx, task); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
