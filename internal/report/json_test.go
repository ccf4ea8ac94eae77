package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestJSONLIsOneObjectALineInAFixedOrder(t *testing.T) {
	want := `{"index":7,"id":"a","question":"q?","answer":"Born in Ulm. Died.","contexts":["born in Ulm","c\"2\n"],` +
		`"faithfulness":0.3333333333333333,"support":0.493827,"status":"scored","reason":null,` +
		`"claims":[{"id":0,"text":"Born in Ulm.","start":0,"end":12,"verdict":"supported","score":0.987654,"reason":"stated","chunk_ids":[0,1],` +
		`"evidence":[{"chunk":0,"start":8,"end":11,"quote":"Ulm"},{"chunk":0,"start":0,"end":4,"quote":"born"}]},` +
		`{"id":1,"text":"He died.","start":null,"end":null,"verdict":"contradicted","score":0.0,"reason":"no","chunk_ids":[],"evidence":[]}],` +
		`"skipped":[{"kind":"greeting","text":"Hi!","start":1,"end":4},{"kind":"marks","text":"*","start":5,"end":6}],"error":null,` +
		`"usage":{"requests":1,"prompt_tokens":812,"completion_tokens":94,"cached_requests":2},"model":"m-1","n":{"a":[1,2]}}
{"index":8,"id":"b","question":"","answer":"I don't know.","contexts":["c"],"faithfulness":null,"support":null,"status":"no_claims","reason":"refusal",` +
		`"claims":[],"skipped":[],"error":null,"usage":{"requests":0,"prompt_tokens":0,"completion_tokens":0,"cached_requests":0}}
{"index":9,"id":"9","question":"","answer":"=1","contexts":["c"],"faithfulness":null,"support":null,"status":"failed","reason":"verdict",` +
		`"claims":[{"id":0,"text":"=1","start":0,"end":2,"verdict":null,"score":null,"reason":null,"chunk_ids":[],"evidence":[]}],` +
		`"skipped":[],"error":"verdict: no reply","usage":{"requests":0,"prompt_tokens":0,"completion_tokens":0,"cached_requests":0}}
`
	got := write(t, FormatJSONL, Options{}, scored(), noClaims(), failed())
	if d := cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")); d != "" {
		t.Error(d)
	}
}

func TestMarksOfAClaimAreThereOnlyWhereTheyAreSo(t *testing.T) {
	r := scored()
	r.Claims[1].From, r.Claims[1].Invented = &extract.Span{Start: 13, End: 18}, true
	r.Verdicts[1].Unsupported = []extract.Span{{Start: 0, End: 2}, {Start: 3, End: 7}}
	r.Verdicts[1].Reused = &verdict.Reused{By: "semantic", Statement: "He has \"died\".", Cosine: 0.91234567}
	r.Verdicts[1].Evidence = []verdict.Evidence{{Chunk: 1, Start: 0, End: 1, Quote: "c", Role: verdict.RoleContradicts}}
	got := write(t, FormatJSONL, Options{}, r)
	want := `{"id":1,"text":"He died.","start":null,"end":null,"from":{"start":13,"end":18},"invented":true,` +
		`"verdict":"contradicted","score":0.0,"reason":"no","chunk_ids":[],"evidence":[{"chunk":1,"start":0,"end":1,"quote":"c","role":"contradicts"}],` +
		`"unsupported":[{"start":0,"end":2},{"start":3,"end":7}],` +
		`"cached":"semantic","cached_from":"He has \"died\".","cosine":0.912346}]`
	if !strings.Contains(got, want) {
		t.Error(got)
	}
	for _, mark := range []string{`"from"`, `"invented"`, `"role"`, `"unsupported"`, `"cached"`, `"cosine"`} {
		if strings.Count(got, mark) != 1 {
			t.Errorf("%s: %s", mark, got)
		}
	}
}

func TestJSONIsOneArrayOfTheSameObjects(t *testing.T) {
	lines := write(t, FormatJSONL, Options{}, scored(), failed())
	want := "[\n" + strings.Replace(strings.TrimSuffix(lines, "\n"), "\n", ",\n", 1) + "\n]\n"
	if d := cmp.Diff(want, write(t, FormatJSON, Options{}, scored(), failed())); d != "" {
		t.Error(d)
	}
	if got := write(t, FormatJSON, Options{}); got != "[]\n" {
		t.Errorf("no rows: %q", got)
	}
}

func TestNumbersReadBackAsFloats(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", 1: "1.0", 0.5: "0.5", 2.0 / 3: "0.6666666666666666", math.NaN(): "null"} {
		r := noClaims()
		r.Faithfulness = x
		if got := write(t, FormatJSONL, Options{}, r); !strings.Contains(got, `"faithfulness":`+want+`,`) {
			t.Errorf("%v is not written as %s", x, want)
		}
	}
}

func TestAKeptColumnWithoutAValueIsNull(t *testing.T) {
	r := noClaims()
	r.Row.Kept = []dataset.Column{{Name: "x"}}
	if got := write(t, FormatJSONL, Options{}, r); !strings.HasSuffix(got, "},\"x\":null}\n") {
		t.Error(got)
	}
}

func FuzzJSONLWriter(f *testing.F) {
	f.Add("id", "answer", "context", "quote", 0.5, 3)
	f.Add("\x00\xff\u2028", "</script>\"\\", "\n\r\t\x7f", "🌕\ud7ff", math.NaN(), -1)
	f.Add("", "", "", "", math.Inf(1), math.MaxInt)
	f.Fuzz(func(t *testing.T, id, answer, context, quote string, score float64, at int) {
		r := scored()
		r.Row = dataset.Row{Index: at, ID: id, Answer: answer, Contexts: []string{context, context}, Kept: []dataset.Column{{Name: quote, Value: []byte("[1]")}}}
		r.Claims = []extract.Claim{{Text: answer, Start: at, End: at}}
		r.Verdicts = []verdict.Verdict{{Label: verdict.Supported, Score: score, Reason: context, Evidence: []verdict.Evidence{{Quote: quote}}}}
		r.Faithfulness = score
		got := write(t, FormatJSONL, Options{}, r)
		if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
			t.Fatalf("not one line: %q", got)
		}
		var back struct {
			Index        int
			ID, Answer   string
			Contexts     []string
			Faithfulness *float64
			Claims       []struct {
				Start    *int
				Score    *float64
				Evidence []struct{ Quote string }
			}
		}
		if err := json.Unmarshal([]byte(got), &back); err != nil {
			t.Fatalf("%v: %q", err, got)
		}
		for _, text := range [][2]string{{id, back.ID}, {answer, back.Answer}, {context, back.Contexts[1]}, {quote, back.Claims[0].Evidence[0].Quote}} {
			if utf8.ValidString(text[0]) && text[0] != text[1] {
				t.Errorf("%q came back as %q", text[0], text[1])
			}
		}
		if back.Index != at {
			t.Errorf("%d came back as %d", at, back.Index)
		}
		if number := !math.IsNaN(score) && !math.IsInf(score, 0); number != (back.Faithfulness != nil) || number && *back.Faithfulness != score {
			t.Errorf("%v came back as %v", score, back.Faithfulness)
		}
		if (at < 0) != (back.Claims[0].Start == nil) {
			t.Errorf("%d came back as %v", at, back.Claims[0].Start)
		}
	})
}

func BenchmarkJSONL(b *testing.B) {
	r := scored()
	r.Row.Contexts = []string{strings.Repeat("a context of a row ", 50)}
	w, _ := New(FormatJSONL, counter{}, Options{})
	b.ReportAllocs()
	for b.Loop() {
		_ = w.Write(r)
	}
}

type counter struct{}

func (counter) Write(p []byte) (int, error) { return len(p), nil }

var _ eval.Sink = (*Tally)(nil)
