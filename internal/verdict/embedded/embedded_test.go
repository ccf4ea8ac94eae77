package embedded

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical"
)

// A fakeModel is a Model whose output is computed by a function. It counts words as
// tokens.
type fakeModel struct {
	output func(window, claim string) encoder.ClaimOutput

	mu     sync.Mutex
	groups []encoder.Group
}

func (m *fakeModel) Judge(_ context.Context, groups []encoder.Group) ([][]encoder.ClaimOutput, error) {
	m.mu.Lock()
	m.groups = append(m.groups, groups...)
	m.mu.Unlock()
	out := make([][]encoder.ClaimOutput, len(groups))
	for i, g := range groups {
		for _, c := range g.Claims {
			out[i] = append(out[i], m.output(g.Window, c))
		}
	}
	return out, nil
}

func (m *fakeModel) Count(text string) int { return len(strings.Fields(text)) }

func supportAll(window, _ string) encoder.ClaimOutput {
	return encoder.ClaimOutput{Logits: [3]float32{4, 0, 0}}
}

func supportNone(window, _ string) encoder.ClaimOutput {
	return encoder.ClaimOutput{Logits: [3]float32{-4, 1, 0}}
}

func contradictAll(window, _ string) encoder.ClaimOutput {
	return encoder.ClaimOutput{Logits: [3]float32{-4, 0, 4}}
}

func formula() Formula {
	return Formula{Words: 1, Support: 0.5, Contradiction: 0.1, Margin: 0.02, Max: 8, Windows: 2, Room: 16, Packed: 16}
}

func sentences(text string, yield func(start, end int)) {
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.Index(text[start:], ". "); n >= 0 {
			end = start + n + 1
		}
		yield(start, end)
		for start = end; start < len(text) && text[start] == ' '; start++ {
		}
	}
}

func newJudge(t testing.TB, m Model, f Formula) *Judge {
	t.Helper()
	words, err := lexical.New(lexical.Options{Threshold: lexical.DefaultThreshold, Sentences: sentences})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Model: m, Formula: f, Words: words, Threshold: DefaultThreshold, Sentences: sentences})
}

func judge(t testing.TB, j *Judge, contexts []string, claims ...string) []verdict.Verdict {
	t.Helper()
	task := verdict.Task{Contexts: contexts}
	for i, c := range claims {
		task.Claims = append(task.Claims, extract.Claim{ID: 10 + i, Text: c})
	}
	got, err := j.Judge(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Verdicts) != len(claims) {
		t.Fatalf("got %d verdicts for %d claims", len(got.Verdicts), len(claims))
	}
	for i, v := range got.Verdicts {
		checkVerdict(t, contexts, claims[i], 10+i, v)
	}
	return got.Verdicts
}

// checkVerdict fails the test if a verdict violates the guarantees of a judge.
func checkVerdict(t testing.TB, contexts []string, claim string, id int, v verdict.Verdict) {
	t.Helper()
	if v.ClaimID != id || !(v.Score >= 0 && v.Score <= 1) || v.Reason == "" {
		t.Errorf("%q: got %+v, want claim ID %d, a score from 0 to 1 and a reason", claim, v, id)
	}
	if (v.Label == verdict.Supported) != (v.Score >= DefaultThreshold) || (v.Label == verdict.Supported) != (len(v.ChunkIDs) > 0) {
		t.Errorf("%q: got %v with score %v and chunks %v, want a consistent verdict", claim, v.Label, v.Score, v.ChunkIDs)
	}
	if !slices.IsSorted(v.ChunkIDs) || len(slices.Compact(slices.Clone(v.ChunkIDs))) != len(v.ChunkIDs) {
		t.Errorf("%q: got chunks %v, want them sorted and unique", claim, v.ChunkIDs)
	}
	for _, e := range v.Evidence {
		if r := []rune(contexts[e.Chunk]); string(r[e.Start:e.End]) != string([]rune(e.Quote)) || e.Quote == "" {
			t.Errorf("%q: got quote %q, want the text at %d:%d of chunk %d", claim, e.Quote, e.Start, e.End, e.Chunk)
		}
	}
	last := 0
	for _, s := range v.Unsupported {
		if s.Start < last || s.End <= s.Start || s.End > len([]rune(claim)) || v.Label == verdict.Supported {
			t.Errorf("%q: got invalid unsupported spans %+v", claim, v.Unsupported)
		}
		last = s.End
	}
}

const bridge = "The harbour is deep. The bridge was opened in March. Trains cross it daily."

func TestVerbatimClaimSkipsModel(t *testing.T) {
	m := &fakeModel{output: contradictAll}
	v := judge(t, newJudge(t, m, formula()), []string{bridge}, "The bridge was opened in March.")[0]
	if v.Label != verdict.Supported || v.Score != 1 || len(m.groups) > 0 {
		t.Errorf("got %+v after %d model calls, want support with score 1 after none", v, len(m.groups))
	}
}

func TestWordsAndModelAreCombined(t *testing.T) {
	for name, tt := range map[string]struct {
		says  func(_, _ string) encoder.ClaimOutput
		claim string
		want  verdict.Label
	}{
		"paraphrase":                    {supportAll, "Rail vehicles go over the bridge each day.", verdict.Supported},
		"unrelated":                     {supportAll, "Elephants swim.", verdict.NotMentioned},
		"same words, different meaning": {supportNone, "Trains opened the bridge daily in the harbour.", verdict.NotMentioned},
		"contradicted":                  {contradictAll, "Trains never cross the deep bridge in March.", verdict.Contradicted},
	} {
		v := judge(t, newJudge(t, &fakeModel{output: tt.says}, formula()), []string{bridge}, tt.claim)[0]
		if v.Label != tt.want {
			t.Errorf("%s: got %+v, want %v", name, v, tt.want)
		}
	}
}

func TestChooseWindowsWithMostWords(t *testing.T) {
	filler := strings.Repeat("Bees make honey in the garden. ", 12)
	contexts := []string{filler + "Copper bridges rust green.", "A bridge of copper was built there by Otto. " + filler, filler}
	m := &fakeModel{output: supportNone}
	judge(t, newJudge(t, m, formula()), contexts, "Otto built a bridge of green copper.")
	var read []string
	for _, g := range m.groups {
		read = append(read, g.Window)
		if n := m.Count(g.Window); n > 16 {
			t.Errorf("got a window of %d tokens, want at most 16", n)
		}
	}
	// Two passages, and a window packed from both.
	packed := "Copper bridges rust green. A bridge of copper was built there by Otto."
	if len(read) != 3 || !slices.Contains(read, packed) {
		t.Errorf("got windows %q, want 3 with %q", read, packed)
	}
	for _, r := range read {
		if !strings.Contains(strings.ToLower(r), "copper") {
			t.Errorf("got window %q, want one with the rare word", r)
		}
	}
}

func TestPackedWindowNamesAllChunks(t *testing.T) {
	contexts := []string{"Marie Curie was born in Warsaw. Her father taught physics.", "Bees make honey.", "In 1903 Curie got the Nobel prize. It was shared."}
	m := &fakeModel{output: func(window, claim string) encoder.ClaimOutput {
		if strings.Contains(window, "Warsaw") && strings.Contains(window, "1903") {
			return supportAll(window, claim)
		}
		return supportNone(window, claim)
	}}
	f := formula()
	f.Support = 2
	v := judge(t, newJudge(t, m, f), contexts, "Curie, a native of Warsaw, was honoured with the Nobel prize in 1903.")[0]
	if d := cmp.Diff([]int{0, 2}, v.ChunkIDs); d != "" || v.Label != verdict.Supported || len(v.Evidence) != 2 {
		t.Errorf("got %+v, want support by two pieces of evidence; chunks (-want +got):\n%s", v, d)
	}
}

func TestUnsupportedSpans(t *testing.T) {
	claim := "Zoë opened the büro on 20 May."
	m := &fakeModel{output: func(window, c string) encoder.ClaimOutput {
		h := supportNone(window, c)
		for _, word := range []string{"20", "May"} {
			at := strings.Index(c, word)
			h.Tokens = append(h.Tokens, encoder.TokenLogit{Start: at, End: at + len(word), Unsupported: 2})
		}
		h.Tokens = append(h.Tokens, encoder.TokenLogit{Start: 0, End: 4, Unsupported: -1})
		return h
	}}
	v := judge(t, newJudge(t, m, formula()), []string{"Zoë opened the büro on a Monday. On some day, May 2 or 20."}, claim)[0]
	if len(v.Unsupported) != 1 || string([]rune(claim)[v.Unsupported[0].Start:v.Unsupported[0].End]) != "20 May" {
		t.Errorf("got %+v, want 20 May unsupported", v)
	}
	lead := extract.Claim{Text: "20 May", Lead: "Zoë opened"}
	held := encoder.ClaimOutput{Tokens: []encoder.TokenLogit{{Start: 0, End: 4, Unsupported: 1}, {Start: 13, End: 15, Unsupported: 1}}}
	if d := cmp.Diff([]extract.Span{{Start: 0, End: 2}}, unsupportedSpans(lead, reading{output: held})); d != "" {
		t.Errorf("unsupported spans (-want +got):\n%s", d)
	}
}

func TestNaNIsError(t *testing.T) {
	m := &fakeModel{output: func(_, _ string) encoder.ClaimOutput {
		return encoder.ClaimOutput{Logits: [3]float32{float32(math.NaN()), 0, 0}}
	}}
	_, err := newJudge(t, m, formula()).Judge(context.Background(), verdict.Task{Contexts: []string{bridge}, Claims: []extract.Claim{{Text: "Trains stop."}}})
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

func TestNoContexts(t *testing.T) {
	m := &fakeModel{output: supportAll}
	for _, contexts := range [][]string{nil, {""}, {"...", " "}} {
		if v := judge(t, newJudge(t, m, formula()), contexts, "Trains stop.")[0]; v.Label != verdict.NotMentioned {
			t.Errorf("%q: got %+v, want not mentioned", contexts, v)
		}
	}
}

func TestScoreIsMonotonic(t *testing.T) {
	f := formula()
	last := -1.0
	for x := -20.0; x <= 20; x += 0.25 {
		p := f.probability(Signals{Words: 0.5, Support: x})
		if p < last {
			t.Errorf("support %v: got %v, want at least %v", x, p, last)
		}
		last = p
	}
	last = -1.0
	for w := 0.0; w <= 1; w += 0.01 {
		p := f.probability(Signals{Words: w, Support: 1})
		if p < last {
			t.Errorf("words %v: got %v, want at least %v", w, p, last)
		}
		last = p
	}
}

func TestParseFormulaErrors(t *testing.T) {
	good := `{"words":1,"support":0.5,"contradiction":0,"bias":0,"margin":0.02,"most":8,"windows":3,"room":200,"packed":0}`
	if _, err := ParseFormula(good); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"words":1`, `"words":-1`},
		{`"support":0.5`, `"support":1e9`},
		{`"margin":0.02`, `"margin":0`},
		{`"most":8`, `"most":0`},
		{`"windows":3`, `"windows":0`},
		{`"room":200`, `"room":4096`},
		{`"packed":0`, `"packed":-1`},
		{`{`, `[`},
	} {
		if _, err := ParseFormula(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%s: got no error, want one", change[1])
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("The bridge opened. It is long.", "It opened in May", uint64(1))
	f.Add("\xff\xfe 東京は人口 1,400 万人。", "東京 has 14 million", uint64(7))
	f.Add("", "", uint64(0))
	f.Fuzz(func(t *testing.T, text, claim string, bits uint64) {
		m := &fakeModel{output: func(window, c string) encoder.ClaimOutput {
			x := bits * uint64(1+len(window)+3*len(c))
			h := encoder.ClaimOutput{Logits: [3]float32{float32(int8(x)), float32(int8(x >> 8)), float32(int8(x >> 16))}}
			for i, r := range c {
				h.Tokens = append(h.Tokens, encoder.TokenLogit{Start: i, End: i + max(1, len(string(r))), Unsupported: float32(int8(x >> (uint(i) % 50)))})
				if h.Tokens[len(h.Tokens)-1].End > len(c) {
					h.Tokens = h.Tokens[:len(h.Tokens)-1]
				}
			}
			return h
		}}
		judge(t, newJudge(t, m, formula()), []string{text, claim + " " + text, ""}, claim, text)
	})
}
