package embedded

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A fixed judge returns the same verdicts for any task.
type fixed []verdict.Verdict

func (f fixed) Judge(context.Context, verdict.Task) (verdict.Judgement, error) {
	return verdict.Judgement{Verdicts: append([]verdict.Verdict(nil), f...)}, nil
}

// unclear returns a judge that hardly supports n claims.
func unclear(n int) fixed {
	return slices.Repeat(fixed{{Label: verdict.Supported, Score: 0.52}}, n)
}

// lines yields the lines of a text as its sentences.
func lines(text string, yield func(start, end int)) {
	at := 0
	for line := range strings.Lines(text) {
		yield(at, at+len(line))
		at += len(line)
	}
}

func judge(t *testing.T, words fixed, contexts []string, texts ...string) []verdict.Verdict {
	t.Helper()
	return judgeAnswer(t, Options{Lexical: words}, "", contexts, texts...)
}

// judgeAnswer is judge for the answer to a question.
func judgeAnswer(t *testing.T, o Options, question string, contexts []string, texts ...string) []verdict.Verdict {
	t.Helper()
	task := verdict.Task{Question: question, Contexts: contexts}
	for i, text := range texts {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: text})
	}
	o.Threshold, o.Sentences = 0.5, lines
	if o.Values == nil {
		o.Values = noValues
	}
	out, err := New(o).Judge(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return out.Verdicts
}

func noValues(string) []values.Value { return nil }

const refunds = "Refunds are paid within ten days of the return.\nGift cards cannot be refunded.\n"

func TestNetworkDecidesWhereWordsAreUnclear(t *testing.T) {
	t.Parallel()
	const right, wrong = 1, 4
	golden := readGolden(t)[0]
	match := verdict.Verdict{
		Label: verdict.Supported, Score: 0.52, Reason: "close match", ChunkIDs: []int{0},
		Evidence: []verdict.Evidence{{Quote: "Refunds are paid", End: 16}},
	}
	got := judge(t, fixed{match, match}, []string{golden.Passage}, golden.Claims[right], golden.Claims[wrong])
	if got[0].Label != verdict.Supported || !strings.HasPrefix(got[0].Reason, "close match (network: 0.") {
		t.Errorf("right claim: got %s, %q", got[0].Label, got[0].Reason)
	}
	if w := got[1]; w.Label == verdict.Supported || w.Score >= 0.5 || len(w.ChunkIDs) != 0 ||
		w.Evidence[0].Role != verdict.RoleOf(w.Label) || !strings.HasSuffix(w.Reason, ", although close match") {
		t.Errorf("wrong claim: got %+v", w)
	}
	for _, v := range got {
		if want := max(v.Score, 1-v.Score); v.Confidence != want {
			t.Errorf("got confidence %v, want %v", v.Confidence, want)
		}
	}
}

func TestNetworkFindsSupportInOtherWords(t *testing.T) {
	t.Parallel()
	got := judge(t, fixed{{Label: verdict.NotMentioned, Score: 0.45, Reason: "no similar passage"}}, []string{"Unrelated text.\n", refunds}, "Gift cards are not refundable.")[0]
	if got.Label != verdict.Supported || !cmp.Equal(got.ChunkIDs, []int{1}) || len(got.Evidence) != 1 || got.Evidence[0].Quote != "Gift cards cannot be refunded.\n" {
		t.Errorf("got %+v", got)
	}
}

func TestLexicalVerdictIsKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words    verdict.Verdict
		contexts []string
		claim    string
	}{
		"other language": {verdict.Verdict{Label: verdict.Supported, Score: 0.6}, []string{refunds}, "Die Erstattung wird innerhalb von zehn Tagen nach der Rücksendung gezahlt und nicht später."},
		"short sentence": {verdict.Verdict{Label: verdict.NotMentioned, Score: 0.2}, []string{refunds}, "L'abonnement coûte 30 euros par mois."},
		"no contexts":    {verdict.Verdict{Score: 0}, nil, "Refunds are paid within ten days."},
		"verbatim":       {verdict.Verdict{Label: verdict.Supported, Score: 1}, []string{refunds}, "The moon is made of cheese."},
		"short answer in another language": {verdict.Verdict{Label: verdict.Supported, Score: 0.8}, []string{
			"Le parking de la gare est payant : deux euros par heure. Les vélos sont acceptés dans le parc pendant toute la journée.",
		}, "Parking payant."},
		"unjudged": {verdict.Verdict{Label: verdict.Unjudged, Score: math.NaN()}, []string{refunds}, "Refunds are paid within ten days."},
	} {
		got := judge(t, fixed{tt.words}, tt.contexts, tt.claim)[0]
		if got.Label != tt.words.Label || got.Score != tt.words.Score && !math.IsNaN(got.Score) || got.Reason != "" {
			t.Errorf("%s: got %+v, want the verdict of the lexical judge", name, got)
		}
	}
}

// TestRepeatedClaimThatDiffersIsNotSupported checks that the network can't overrule what is compared exactly.
func TestRepeatedClaimThatDiffersIsNotSupported(t *testing.T) {
	t.Parallel()
	v := verdict.Verdict{Label: verdict.Contradicted, Score: 0.49, Differs: true, Evidence: make([]verdict.Evidence, 1)}
	var m mean
	m.add(finding{logits: logits{5, -2, -2}}, "", nil)
	New(Options{Threshold: 0.5}).conclude(&v, extract.Claim{}, m, 1, nil)
	if v.Label != verdict.Contradicted || v.Score >= 0.5 {
		t.Errorf("got %s with score %v, want contradicted", v.Label, v.Score)
	}
}

// TestReasonNamesAContradictionOfTheNetwork checks that words which are only missing are not given as its reason.
func TestReasonNamesAContradictionOfTheNetwork(t *testing.T) {
	t.Parallel()
	v := verdict.Verdict{Label: verdict.NotMentioned, Score: 0.3, Reason: "not in the contexts: fee", Evidence: make([]verdict.Evidence, 1)}
	var m mean
	claim := extract.Claim{Text: "Add fees"}
	m.add(finding{logits{-5, 5, 0}, []float64{9, -2, 3, 9}}, claim.Text, [][2]int{{}, {0, 3}, {4, 8}, {}})
	New(Options{Threshold: 0.5}).conclude(&v, claim, m, 1, nil)
	if v.Label != verdict.Contradicted || v.Reason != "network: 0.000, doubts “fees”, contradicted; not in the contexts: fee" {
		t.Errorf("got %s (%q), want contradicted by the network", v.Label, v.Reason)
	}
	if want := []extract.Span{{Start: 4, End: 8}}; !cmp.Equal(v.Unsupported, want) {
		t.Errorf("got unsupported spans %v, want %v", v.Unsupported, want)
	}
}

func TestWrongWords(t *testing.T) {
	t.Parallel()
	const text = "The refunds (7.5%)."
	offsets := [][2]int{{}, {0, 3}, {4, 10}, {10, 11}, {12, 13}, {13, 14}, {14, 15}, {15, 16}, {16, 17}, {17, 18}, {18, 19}, {}}
	for name, tt := range map[string]struct {
		wrong []int // tokens
		want  []string
	}{
		"special tokens":    {[]int{0, 11}, nil},
		"a part of a word":  {[]int{3}, []string{"refunds"}},
		"words and numbers": {[]int{1, 7}, []string{"The", "7.5"}},
	} {
		odds := make([]float64, len(offsets))
		for _, i := range tt.wrong {
			odds[i] = 2
		}
		var got []string
		for _, r := range wrongWords(odds, text, offsets) {
			got = append(got, text[r[0]:r[1]])
		}
		if !cmp.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestClaimKeepsItsLastTokens checks that a long question does not push the claim out.
func TestClaimKeepsItsLastTokens(t *testing.T) {
	t.Parallel()
	n := load()
	short, _, err := n.encodeClaim("Gift cards cannot be refunded.")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("why ", 500) + "Gift cards cannot be refunded."
	long, offsets, err := n.encodeClaim(text)
	if err != nil {
		t.Fatal(err)
	}
	if last := offsets[len(offsets)-3]; text[last[0]:last[1]] != "ed" {
		t.Errorf("got %q at the position of the last token of a word", text[last[0]:last[1]])
	}
	if len(long) != maxClaim+2 || long[0] != short[0] || !cmp.Equal(long[len(long)-len(short)+1:], short[1:]) {
		t.Errorf("got %v, want the last tokens of %v", long, short)
	}
}

func TestWaitsForTheNetworkAreReported(t *testing.T) {
	t.Parallel()
	var calls []string
	waiting := func(context.Context) func() {
		calls = append(calls, "wait")
		return func() { calls = append(calls, "resume") }
	}
	judgeAnswer(t, Options{Lexical: unclear(1), Waiting: waiting}, "", []string{refunds}, "Gift cards can be refunded.")
	if want := []string{"wait", "resume"}; !cmp.Equal(calls, want) {
		t.Errorf("got calls %v, want %v", calls, want)
	}
}

// TestLimits checks that what exceeds them is judged by words.
func TestLimits(t *testing.T) {
	t.Parallel()
	words := make(fixed, maxClaims+1)
	texts := make([]string, len(words))
	for i := range words {
		words[i], texts[i] = verdict.Verdict{Label: verdict.Supported, Score: 1}, "Gift cards can be refunded."
	}
	words[maxClaims-1].Score, words[maxClaims].Score = 0.52, 0.52
	got := judge(t, words, []string{refunds}, texts...)
	if read, words := got[maxClaims-1], got[maxClaims]; read.Reason == "" || words.Reason != "" || words.Score != 0.52 {
		t.Errorf("many claims: got %+v for the last one read and %+v for the next", read, words)
	}
	if v := judge(t, words[maxClaims:], []string{refunds, strings.Repeat(" ", maxContextBytes)}, texts[0])[0]; v.Reason != "" || v.Score != 0.52 {
		t.Errorf("long contexts: got %+v", v)
	}
}

// TestLongGroupsAreDivided checks that many claims about one passage are read in groups whose memory is limited.
func TestLongGroupsAreDivided(t *testing.T) {
	t.Parallel()
	r := &reading{contexts: []string{refunds}, values: noValues, index: newIndex(passages([]string{refunds}, lines)), passages: map[int]*nearby{}}
	for i := range maxClaims {
		if err := r.add(load(), i, extract.Claim{Text: "Gift cards can be refunded."}, strings.Repeat("word ", maxClaim)); err != nil {
			t.Fatal(err)
		}
	}
	claims := 0
	for _, g := range r.read {
		if claims += len(g.claims); g.size() > maxTokens {
			t.Errorf("got a group of %d tokens, want at most %d", g.size(), maxTokens)
		}
	}
	if claims != 2*maxClaims {
		t.Errorf("got %d claims, want %d", claims, 2*maxClaims)
	}
}

// TestQuestionAndEarlierClaimsAreRead checks that the question and the two claims before a claim count, and no earlier one.
func TestQuestionAndEarlierClaimsAreRead(t *testing.T) {
	t.Parallel()
	score := func(question string, texts ...string) float64 {
		t.Helper()
		return judgeAnswer(t, Options{Lexical: unclear(len(texts))}, question, []string{refunds}, texts...)[len(texts)-1].Score
	}
	const claim = "No, that is not possible in any case."
	if a, b := score("Can gift cards be refunded?", claim), score("Can a refund be paid within ten days?", claim); a == b {
		t.Errorf("got score %v for both questions", a)
	}
	last := []string{"Gift cards are sold in shops.", "They cost ten euros.", claim}
	if a, b := score("", append([]string{"Refunds are slow."}, last...)...), score("", append([]string{"Vouchers expire."}, last...)...); a != b {
		t.Errorf("got scores %v and %v after other claims far before", a, b)
	}
}

// TestSeveralPassages checks that beside several passages, of which the network reads one, the words decide more, and alone where
// they are sure.
func TestSeveralPassages(t *testing.T) {
	t.Parallel()
	verdictOn := func(contexts string, words float64) verdict.Verdict {
		t.Helper()
		v := verdict.Verdict{Label: verdict.Supported, Score: words, Evidence: make([]verdict.Evidence, 1)}
		return judge(t, fixed{v}, []string{contexts}, "Gift cards can be refunded within ten days.")[0]
	}
	several := refunds + strings.Repeat("Other words stand here.\n", passageWords/2)
	if a, b := verdictOn(refunds, 0.6), verdictOn(several, 0.6); a.Score >= b.Score || b.Reason == "" {
		t.Errorf("got score %.3f in one passage and %.3f (%q) in several, want a higher one in several", a.Score, b.Score, b.Reason)
	}
	if v := verdictOn(several, 0.9); v.Reason != "" || v.Label != verdict.Supported {
		t.Errorf("sure words: got %s (%q), want supported without the network", v.Label, v.Reason)
	}
}
