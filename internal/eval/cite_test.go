package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// entailed reports whether the contexts together contain every word of the claim.
func entailed(contexts []string, claim string) bool {
	words := strings.Fields(strings.Join(contexts, " "))
	return !slices.ContainsFunc(strings.Fields(claim), func(word string) bool { return !slices.Contains(words, word) })
}

// A wordJudge supports claims whose words are all in one context or, if joint is set,
// in all contexts together. It records its tasks.
type wordJudge struct {
	joint bool
	tasks []string
}

func (j *wordJudge) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	var out verdict.Judgement
	out.Usage.Requests = 1
	words := []string{strings.Join(task.Contexts, "|"), "?"}
	for _, c := range task.Claims {
		words = append(words, c.Text)
		v := verdict.Verdict{ClaimID: c.ID}
		for k, text := range task.Contexts {
			if entailed([]string{text}, c.Text) || j.joint && entailed(task.Contexts, c.Text) && strings.ContainsAny(text, c.Text) {
				v.Label, v.Score, v.ChunkIDs = verdict.Supported, 1, append(v.ChunkIDs, k)
			}
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	j.tasks = append(j.tasks, strings.Join(words, " "))
	return out, nil
}

// citingRow returns a row with claims such as "a b [1][2]" and an Extractor that returns
// them.
func citingRow(contexts []string, claims ...string) (dataset.Row, Extractor) {
	var found extract.Extraction
	for i, c := range claims {
		words, numbers, _ := strings.Cut(c, " [")
		claim := extract.Claim{ID: i, Text: words, Start: -1, End: -1}
		for _, n := range strings.Fields(strings.ReplaceAll(strings.TrimSuffix(numbers, "]"), "][", " ")) {
			number, _ := strconv.Atoi(n)
			claim.Citations = append(claim.Citations, extract.Citation{Text: "[" + n + "]", End: 1, Number: number})
		}
		found.Claims = append(found.Claims, claim)
	}
	return dataset.Row{Answer: strings.Join(claims, " "), Contexts: contexts},
		extractFunc(func(context.Context, string, string) (extract.Extraction, error) { return found, nil })
}

// alce computes citation recall and precision by the definition of ALCE, counting each
// chunk once.
func alce(contexts []string, claims []result.Claim) (recall, precision float64) {
	entails := func(chunks []int, claim string) bool {
		var texts []string
		for _, n := range chunks {
			texts = append(texts, contexts[n-1])
		}
		return entailed(texts, claim)
	}
	hits, cites, precise := 0, 0, 0
	for _, c := range claims {
		var chunks []int
		valid := true
		for _, x := range c.Citations {
			n, err := strconv.Atoi(strings.Trim(x.Text, "[]"))
			valid = valid && err == nil && n >= 1 && n <= len(contexts)
			if !slices.Contains(chunks, n) {
				chunks = append(chunks, n)
			}
		}
		if !valid || len(chunks) == 0 {
			continue
		}
		cites += len(chunks)
		if !entails(chunks, c.Text) {
			continue
		}
		hits++
		for k, n := range chunks {
			others := slices.Delete(slices.Clone(chunks), k, k+1)
			if entails([]int{n}, c.Text) || !entails(others, c.Text) {
				precise++
			}
		}
	}
	if cites == 0 {
		return float64(hits) / float64(len(claims)), math.NaN()
	}
	return float64(hits) / float64(len(claims)), float64(precise) / float64(cites)
}

func TestCitationScoresMatchALCE(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(n int, from []string) string {
		var words []string
		for range n {
			words = append(words, from[random.IntN(len(from))])
		}
		return strings.Join(words, " ")
	}
	words := []string{"a", "b", "c", "d", "e"}
	partial, rows := 0, 3000
	if testing.Short() {
		rows = 500
	}
	for range rows {
		var contexts, claims []string
		for range 1 + random.IntN(5) {
			contexts = append(contexts, pick(1+random.IntN(3), words))
		}
		for range 1 + random.IntN(4) {
			claim := []string{pick(1+random.IntN(3), words), " "}
			for range random.IntN(5) {
				claim = append(claim, fmt.Sprintf("[%d]", 1+random.IntN(len(contexts)+1)))
			}
			claims = append(claims, strings.TrimSpace(strings.Join(claim, "")))
		}
		row, x := citingRow(contexts, claims...)
		for _, joint := range []bool{false, true} {
			r := collect(t, &Pipeline{Extractor: x, Judge: &wordJudge{joint: joint}}, one(row, nil))[0]
			recall, precision := alce(contexts, r.Claims)
			if r.Citations == nil {
				if recall != 0 {
					t.Fatalf("%q: got no citation scores, want recall %v", claims, recall)
				}
				continue
			}
			if r.Citations.Recall != recall || r.Citations.Precision != precision && !(math.IsNaN(precision) && math.IsNaN(r.Citations.Precision)) {
				t.Fatalf("%q over %q: got %v and %v, want %v and %v", claims, contexts, r.Citations.Recall, r.Citations.Precision, recall, precision)
			}
			if recall > 0 && recall < 1 && precision > 0 && precision < 1 {
				partial++
			}
			checkRow(t, &r)
		}
	}
	if partial < rows/10 {
		t.Errorf("got %d rows with scores strictly between 0 and 1, want at least %d", partial, rows/10)
	}
}

// describeCitations returns recall, precision, and the chunk and verdict of each citation.
func describeCitations(r *result.Row) string {
	var b strings.Builder
	fmt.Fprint(&b, r.Citations.Recall, r.Citations.Precision)
	for _, claim := range r.Claims {
		for _, c := range claim.Citations {
			fmt.Fprintf(&b, " %d=%v", c.Chunk, c.Verdict)
		}
	}
	return b.String()
}

func TestCitationIsJudgedGivenItsChunk(t *testing.T) {
	j := &wordJudge{}
	row, x := citingRow([]string{"a b", "c", "a b c"}, "a b [1][2]", "c [2]", "a c [1][2]", "a [9]", "b")
	r := collect(t, &Pipeline{Extractor: x, Judge: j}, one(row, nil))[0]
	if got, want := describeCitations(&r), "0.6 0.8 0=supported 1=not_mentioned 1=supported 0=not_mentioned 1=not_mentioned -1="; got != want || r.Citations.Unresolved != 1 {
		t.Errorf("got %s and %d unresolved, want %s and 1", got, r.Citations.Unresolved, want)
	}
	want := []string{
		"a b|c|a b c ? a b c a c a b", // all contexts
		"a b ? a b a c", "c ? a b c a c", "a b|c ? a c", "a b\nc ? a c",
	}
	if d := cmp.Diff(want, j.tasks); d != "" {
		t.Error(d)
	}
}

func TestUnjudgedCitationsDoNotCount(t *testing.T) {
	words := &wordJudge{}
	j := judgeFunc(func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) { // cannot read "?"
		out, err := words.Judge(ctx, task)
		for i := range out.Verdicts {
			if v := &out.Verdicts[i]; v.Label != verdict.Supported && !slices.ContainsFunc(task.Contexts, func(s string) bool { return s != "?" }) {
				v.Label, v.Score = verdict.Unjudged, math.NaN()
			}
		}
		return out.Verdicts, err
	})
	for name, tt := range map[string]struct {
		claims []string
		want   string
	}{
		"another citation supports it": {[]string{"a [1][2]"}, "1 1 0=unjudged 1=supported"},
		"no citation supports it":      {[]string{"a [1]", "a [2]"}, "1 1 0=unjudged 1=supported"},
		"another one does not":         {[]string{"c [1][2]", "a [2]", "b"}, "0.5 1 0=unjudged 1=not_mentioned 1=supported"},
		"all unjudged":                 {[]string{"a [1]"}, "NaN NaN 0=unjudged"},
	} {
		row, x := citingRow([]string{"?", "a", "b c"}, tt.claims...)
		r := collect(t, &Pipeline{Extractor: x, Judge: j}, one(row, nil))[0]
		if got := describeCitations(&r); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		checkRow(t, &r)
	}
}

func TestDeriveCitedAvoidsCalls(t *testing.T) {
	contexts := []string{"a b", "c", "d"}
	for _, tt := range []struct {
		claims []string
		want   []string // tasks after the first
	}{
		{[]string{"a b [1]", "x [2]", "c [2]"}, nil},
		{[]string{"a b [2]", "c [2]", "c [2]"}, []string{"c ? a b"}},
		{[]string{"a b [2]", "d [2]"}, []string{"c ? a b d"}},
		{[]string{"a b [9]", "x [1][2]"}, nil},
	} {
		j := &wordJudge{}
		row, x := citingRow(contexts, tt.claims...)
		r := collect(t, &Pipeline{Extractor: x, Judge: j, DeriveCited: true}, one(row, nil))[0]
		if d := cmp.Diff(tt.want, j.tasks[1:]); d != "" && len(j.tasks)+len(tt.want) > 1 {
			t.Errorf("%q: %s", tt.claims, d)
		}
		if r.Usage.Requests != len(j.tasks) {
			t.Errorf("%q: got %d requests, want %d", tt.claims, r.Usage.Requests, len(j.tasks))
		}
		recall, precision := alce(contexts, r.Claims)
		if r.Citations.Recall != recall || r.Citations.Precision != precision {
			t.Errorf("%q: got %v and %v, want %v and %v", tt.claims, r.Citations.Recall, r.Citations.Precision, recall, precision)
		}
	}
}

func TestCombinedCitationsAreDerived(t *testing.T) {
	stages := newStages()
	stages.extraction.Claims[0].Citations = []extract.Citation{{Text: "s", End: 1, Number: 1}, {Text: "s", End: 1, Number: 2}}
	stages.judgement.Verdicts[0].ChunkIDs = []int{1}
	r := collect(t, &Pipeline{Combined: stages}, one(dataset.Row{Answer: "sun", Contexts: []string{"moon", "sun"}}, nil))[0]
	if r.Status != result.Scored || r.Citations.Recall != 1 || r.Citations.Precision != 0.5 || r.Usage != totalUsage {
		t.Errorf("got error %v, citations %+v, usage %+v, want recall 1, precision 0.5, usage %+v", r.Err, r.Citations, r.Usage, totalUsage)
	}
}

func TestCitationErrorFailsRow(t *testing.T) {
	for claim, fails := range map[string]int{"a [1]": 2, "a b [1][2]": 4} { // failing call: one chunk, both chunks
		row, x := citingRow([]string{"a", "b", "c"}, claim)
		calls := 0
		r := collect(t, &Pipeline{Extractor: x, Judge: judgeFunc(func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
			if calls++; calls == fails {
				return nil, errors.New("no reply")
			}
			return contained(ctx, task)
		})}, one(row, nil))[0]
		cited := r.Claims[0].Citations[0]
		if r.Status != result.Failed || r.Reason != result.StageVerdict || r.Claims[0].Verdict != "" || cited.Chunk != 0 || cited.Verdict != "" || !math.IsNaN(r.Citations.Recall) || calls != fails {
			t.Errorf("%s: got status %v, citations %+v after %d calls, want a failed row without citation verdicts after %d", claim, r.Status, r.Citations, calls, fails)
		}
	}
}

// The bytes that are judged again are limited by the size of the row.
func TestCitationWorkIsBounded(t *testing.T) {
	var contexts, claims []string
	for i := range 2000 {
		contexts = append(contexts, strconv.Itoa(i))
	}
	long := strings.Repeat("x", 100_000)
	claims = append(claims, long+" ["+strings.Join(contexts[1:], "][")+"]")
	row, x := citingRow(contexts, claims...)
	size := 0
	r := collect(t, &Pipeline{Extractor: x, Judge: judgeFunc(func(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		size += len(task.Claims[0].Text)
		return []verdict.Verdict{{}}, nil
	})}, one(row, nil))[0]
	if limit := minCitedBytes + (citedPerByte+1)*int(textBytes(&row)); size > limit || r.Status != result.Scored {
		t.Errorf("got status %v and %d judged bytes, want scored and at most %d", r.Status, size, limit)
	}
}

// Quadratic work would exceed the timeout of the test.
func TestManyCitationsTakeLinearTime(t *testing.T) {
	size := 400_000
	if testing.Short() {
		size = 50_000
	}
	for _, marker := range []string{"(a) ", "[a.pdf] ", "[1]", "[1, 1, 1, 1, 1, 1, 1, 1]", "¹ "} {
		answer := "It is so " + strings.Repeat(marker, size/len(marker)) + "."
		row := dataset.Row{Answer: answer, Contexts: slices.Repeat([]string{"x"}, 1000), Sources: slices.Repeat([]dataset.Source{{ID: "a", File: "a.pdf"}}, 1000)}
		r := collect(t, &Pipeline{Extractor: extract.Sentences{}, Judge: judgeFunc(contained)}, one(row, nil))[0]
		if r.Status != result.Scored || r.Citations == nil {
			t.Fatalf("%s: got status %v, error %v, want citation scores", marker, r.Status, r.Err)
		}
		if n := len(r.Claims[0].Citations); n > 1+len(answer) {
			t.Errorf("%s: got %d citations for %d bytes", marker, n, len(answer))
		}
	}
}

func TestSourceIndexFind(t *testing.T) {
	plain := dataset.Row{Contexts: []string{"one", "two", "three"}}
	named := dataset.Row{
		Contexts: []string{"Title: Pricing Guide\nbasic", "# Refund policy\ntext", "Document 7: text", "[doc_12] text", "text\nmore"},
		Sources: []dataset.Source{
			{URL: "docs/Plans.PDF"}, {URL: "https://www.acme.com/refunds/", ID: "r-1"}, {}, {Title: "Terms & Fees"}, {ID: "kb_4", File: `C:\data\faq.md`},
		},
	}
	ids := dataset.Row{Contexts: []string{"a", "b", "c"}, Sources: []dataset.Source{{ID: "3"}, {ID: "1"}, {ID: "2"}}}
	positions := dataset.Row{Contexts: []string{"a", "b", "c"}, Sources: []dataset.Source{{ID: "0"}, {ID: "1"}, {ID: "2"}}}
	ambiguous := dataset.Row{Contexts: []string{"a", "b", "c"}, Sources: []dataset.Source{{File: "x.pdf"}, {File: "y.pdf"}, {File: "x.pdf"}}}
	for _, tt := range []struct {
		row    dataset.Row
		answer string
		want   string
	}{
		{plain, "It is so [1]. It is as well [3].", "[0] [2]"},
		{plain, "It is so [0]. It is as well [2].", "[0] [2]"},
		{plain, "It is so [3]. It is as well [4].", "[2] []"},
		{plain, "It is so [Doc 2]. It is as well 【4:1†source】.", "[1] [0]"},
		{plain, "It is so [plans.pdf]. It is as well [doc_2].", "[] [1]"},
		{named, "It is so [plans.pdf]. It is as well [PLANS], if [any] (at all).", "[0] [0]"},
		{named, "It is so [id: kb_4]. It is as well (see Terms & Fees, p. 3), or [faq.md p. 3].", "[4] [3] [4]"},
		{named, "It is so (see plans.pdf, p. 3). It is as well (docs/plans.pdf, page 2).", "[0] [0]"},
		{named, "It is so [plans.docx]. It is as well [other.pdf].", "[0] []"},
		{named, "It is so [1](http://acme.com/refunds#x). It is as well [5](https://other.com/refunds).", "[1] [4]"},
		{named, "It is so [Pricing Guide]. It is as well [Refund Policy].", "[0] [1]"},
		{named, "It is so [Terms & Fees]. It is as well [doc_12].", "[3] [3]"},
		{named, "It is so [kb_4]. It is as well [kb_2].", "[4] []"},
		{named, "It is so [Document 7]. It is as well [faq.md].", "[2] [4]"},
		{named, "It is so [7].", "[2]"},
		{named, "It is so [2].\n\nSources:\n1. Pricing Guide\n2. Terms & Fees, p. 4", "[3]"},
		{named, "It is so [2].\n\nSources:\n1. Something\n2. Another thing", "[1]"},
		{named, "It is so (Smith et al., 2021). It is as well (page 12).", ""},
		{ids, "It is so [1]. It is as well [3].", "[1] [0]"},
		{ids, "It is so [1]. It is as well [7].", "[1] []"},
		{positions, "It is so [1]. It is as well [3].", "[0] [2]"},
		{positions, "It is so [1]. It is as well [2].", "[0] [1]"},
		{positions, "It is so [0]. It is as well [2].", "[0] [2]"},
		{ambiguous, "It is so [x.pdf]. It is as well [y.pdf].", "[0 2] [1]"},
	} {
		e, err := extract.Sentences{}.Extract(t.Context(), "", tt.answer)
		if err != nil {
			t.Fatal(err)
		}
		claims := e.Claims
		if tt.row.Sources != nil {
			claims = extract.WithMentions(tt.answer, claims)
		}
		x := newSourceIndex(&tt.row, claims)
		var got []string
		for _, c := range claims {
			for _, cited := range c.Citations {
				if found := x.find(&cited); found != nil || !cited.Weak {
					got = append(got, fmt.Sprint(found))
				}
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.answer, got, tt.want)
		}
	}
}
