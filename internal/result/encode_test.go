package result_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestJSONLGolden(t *testing.T) {
	want := `{"index":7,"id":"a","question":"q?","answer":"Born in Ulm. Died.","contexts":["born in Ulm","c\"2\n"],` +
		`"faithfulness":0.3333333333333333,"support":0.493827,"confidence":null,"status":"scored","reason":null,` +
		`"claims":[{"id":0,"text":"Born in Ulm.","start":0,"end":12,"verdict":"supported","score":0.987654,"confidence":null,"reason":"stated","chunk_ids":[0,1],` +
		`"evidence":[{"chunk":0,"start":8,"end":11,"quote":"Ulm"},{"chunk":0,"start":0,"end":4,"quote":"born"}]},` +
		`{"id":1,"text":"He died.","start":null,"end":null,"verdict":"contradicted","score":0.0,"confidence":null,"reason":"no","chunk_ids":[],"evidence":[]}],` +
		`"skipped":[{"kind":"greeting","text":"Hi!","start":1,"end":4},{"kind":"marks","text":"*","start":5,"end":6}],"unjudged_share":0.25,"error":null,` +
		`"usage":{"requests":1,"prompt_tokens":812,"completion_tokens":94,"cached_requests":2},"model":"m-1","n":{"a":[1,2]}}
{"index":8,"id":"b","question":"","answer":"I don't know.","contexts":["c"],"faithfulness":null,"support":null,"confidence":null,"status":"no_claims","reason":"refusal",` +
		`"claims":[],"skipped":[],"unjudged_share":1.0,"error":null,"usage":{"requests":0,"prompt_tokens":0,"completion_tokens":0,"cached_requests":0}}
{"index":9,"id":"9","question":"","answer":"=1","contexts":["c"],"faithfulness":null,"support":null,"confidence":null,"status":"failed","reason":"verdict",` +
		`"claims":[{"id":0,"text":"=1","start":0,"end":2,"verdict":null,"score":null,"confidence":null,"reason":null,"chunk_ids":[],"evidence":[]}],` +
		`"skipped":[],"unjudged_share":null,"error":"verdict: no reply","usage":{"requests":0,"prompt_tokens":0,"completion_tokens":0,"cached_requests":0}}
`
	got := write(t, dataset.JSONL, result.Options{}, resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed())
	checkDiff(t, strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n"))
}

func TestAppendJSONOmitsAbsentFields(t *testing.T) {
	r := resulttest.Scored()
	r.Confidence, r.Claims[1].Confidence = 0.61234567, 0.61234567
	r.Claims[1].From, r.Claims[1].Invented, r.Claims[1].Graded = &result.Span{Start: 13, End: 18}, true, true
	r.Claims[1].Unsupported = []result.Span{{Start: 0, End: 2}, {Start: 3, End: 7}}
	r.Claims[1].Reused = &result.Reused{By: "semantic", Statement: "He has \"died\".", Cosine: 0.91234567}
	r.Claims[1].Evidence = []result.Evidence{{Chunk: 1, Start: 0, End: 1, Quote: "c", Role: result.RoleContradicts}}
	got := write(t, dataset.JSONL, result.Options{}, r)
	want := `{"id":1,"text":"He died.","start":null,"end":null,"from":{"start":13,"end":18},"invented":true,` +
		`"verdict":"contradicted","score":0.0,"confidence":0.612346,"graded":true,"reason":"no","chunk_ids":[],"evidence":[{"chunk":1,"start":0,"end":1,"quote":"c","role":"contradicts"}],` +
		`"unsupported":[{"start":0,"end":2},{"start":3,"end":7}],` +
		`"cached":"semantic","cached_from":"He has \"died\".","cosine":0.912346}]`
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want it to contain %s", got, want)
	}
	if want := `"support":0.493827,"confidence":0.612346,"status"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want it to contain %s", got, want)
	}
	for _, name := range []string{`"from"`, `"invented"`, `"role"`, `"unsupported"`, `"cached"`, `"cosine"`} {
		if n := strings.Count(got, name); n != 1 {
			t.Errorf("got %d times %s, want 1: %s", n, name, got)
		}
	}
}

func TestJSONIsArrayOfJSONLObjects(t *testing.T) {
	lines := write(t, dataset.JSONL, result.Options{}, resulttest.Scored(), resulttest.JudgeFailed())
	want := "[\n" + strings.Replace(strings.TrimSuffix(lines, "\n"), "\n", ",\n", 1) + "\n]\n"
	checkDiff(t, want, write(t, dataset.JSON, result.Options{}, resulttest.Scored(), resulttest.JudgeFailed()))
	if got := write(t, dataset.JSON, result.Options{}); got != "[]\n" {
		t.Errorf("without rows: got %q, want []", got)
	}
}

func TestNumbersHaveDecimalPoint(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", 1: "1.0", 0.5: "0.5", 2.0 / 3: "0.6666666666666666", math.NaN(): "null"} {
		r := resulttest.NoClaims()
		r.Faithfulness = x
		if got := write(t, dataset.JSONL, result.Options{}, r); !strings.Contains(got, `"faithfulness":`+want+`,`) {
			t.Errorf("faithfulness %v: got %s, want %s", x, got, want)
		}
	}
}

func TestKeptColumnWithoutValueIsNull(t *testing.T) {
	r := resulttest.NoClaims()
	r.Kept = []dataset.Column{{Name: "x"}}
	if got := write(t, dataset.JSONL, result.Options{}, r); !strings.HasSuffix(got, "},\"x\":null}\n") {
		t.Errorf("got %s, want it to end with x null", got)
	}
}

// write returns the output of a Writer.
func write(t *testing.T, f dataset.Format, o result.Options, rows ...*result.Row) string {
	t.Helper()
	var b bytes.Buffer
	w, err := result.NewWriter(f, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInvalidMarksAreRejected(t *testing.T) {
	r := resulttest.NoClaims()
	r.Marks = []result.Mark{result.Downgraded, result.Grouped}
	line := string(r.AppendJSON(nil))
	for marks, want := range map[string]string{
		`["downgraded","grouped"]`:    "",
		`[]`:                          "",
		`null`:                        "",
		`["grouped","downgraded"]`:    "marks: not sorted, or with duplicates",
		`["downgraded","downgraded"]`: "marks: not sorted, or with duplicates",
		`["estimated_usage"]`:         `marks/0: unknown "estimated_usage"`,
		`["",""]`:                     `marks/0: unknown ""`,
		`"grouped"`:                   "marks: ",
		`[1]`:                         "marks/0: ",
	} {
		_, err := result.NewDecoder(nil).Decode([]byte(strings.Replace(line, `["downgraded","grouped"]`, marks, 1)))
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", marks, err, want)
		}
	}
}

func TestKeptColumnsMatchByName(t *testing.T) {
	k := result.NewKeptColumns(result.Options{Keep: []string{"b", "a", "b", "c"}})
	columns := []dataset.Column{{Name: "x", Value: []byte("0")}, {Name: "a", Value: []byte("1")}, {Name: "b", Value: []byte("2")}, {Name: "a", Value: []byte("3")}}
	k.Observe(columns)
	checkDiff(t, []string{"b", "a", "c"}, k.Names)
	checkDiff(t, [][]byte{[]byte("2"), []byte("1"), nil}, k.Values(columns))
}

// checkDiff checks that got equals want.
func checkDiff(t *testing.T, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
