package result_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

// read reads rows up to the first error, without checking them.
func read(text string) (rows []*result.Row, err error) {
	for r, err := range result.NewReader(strings.NewReader(text), nil).Rows() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func TestReaderRejectsInvalidLines(t *testing.T) {
	valid := write(t, dataset.JSONL, result.Options{}, resulttest.NoClaims())
	with := func(old, new string) string {
		if !strings.Contains(valid, old) {
			t.Fatalf("%s does not contain %s", valid, old)
		}
		return strings.Replace(valid, old, new, 1)
	}
	claim := `{"id":0,"text":"a","start":0,"end":1,"verdict":"supported","score":1.0,"reason":"","chunk_ids":[],"evidence":[]}`
	for name, tt := range map[string]struct{ line, want string }{
		"not JSON":               {"hello\n", "invalid JSON: invalid character 'h' at start of value"},
		"not an object":          {"[1]\n", "want an object"},
		"truncated":              {valid[:len(valid)/2], "invalid JSON: unexpected EOF after offset 156"},
		"two objects":            {strings.TrimSpace(valid) + valid, "invalid JSON: invalid character '{' after top-level value after offset 311"},
		"not a result":           {`{"a":1}` + "\n", "not a result, as ragfaith score writes them: it has no index or no status"},
		"fractional index":       {with(`"index":8`, `"index":8.5`), "index: invalid syntax"},
		"numeric id":             {with(`"id":"b"`, `"id":1`), "id: unexpected number"},
		"contexts as string":     {with(`"contexts":["c"]`, `"contexts":"c"`), "contexts: unexpected string"},
		"unknown status":         {with(`"no_claims"`, `"fine"`), `status: unknown "fine"`},
		"support as string":      {with(`"support":null`, `"support":"1"`), "support: unexpected string"},
		"support above 1":        {with(`"support":null`, `"support":1.5`), "support: got 1.5, want a number from 0 to 1"},
		"faithfulness below 0":   {with(`"faithfulness":null`, `"faithfulness":-0.5`), "faithfulness: got -0.5, want a number from 0 to 1"},
		"claim score below 0":    {with(`"claims":[]`, `"claims":[`+strings.Replace(claim, `"score":`, `"score":-`, 1)+`]`), "claim 0: score: got -1, want a number from 0 to 1"},
		"negative offset":        {with(`"claims":[]`, `"claims":[`+strings.Replace(claim, `"start":0`, `"start":-9`, 1)+`]`), "claim 0: got offsets -9 to 1, want 0 or more in ascending order"},
		"scored without claims":  {with(`"no_claims"`, `"scored"`), "status: scored, without a verdict on every claim or without a score"},
		"failed without error":   {with(`"no_claims"`, `"failed"`), "status: failed, without an error"},
		"unknown verdict":        {with(`"claims":[]`, `"claims":[`+strings.Replace(claim, "supported", "yes", 1)+`]`), `claims/0/verdict: unknown "yes"`},
		"claim without verdict":  {with(`"claims":[]`, `"claims":[{"id":0,"verdict":null},`+claim+`]`), "claims: some have a verdict and some have none"},
		"unknown role":           {with(`"claims":[]`, `"claims":[{"id":0,"evidence":[{"role":"best"}]}]`), `claims/0/evidence/0/role: unknown "best"`},
		"unknown claim field":    {with(`"claims":[]`, `"claims":[{"id":0,"x":1}]`), "claims/0/x: unknown object member name"},
		"unknown evidence field": {with(`"claims":[]`, `"claims":[{"id":0,"evidence":[{"x":1}]}]`), "claims/0/evidence/0/x: unknown object member name"},
		"invalid UTF-8":          {with(`"id":"b"`, "\"id\":\"\xff\""), `invalid JSON: invalid UTF-8 within "/id" after offset 17`},
	} {
		got, err := read(valid + "\n" + tt.line)
		if len(got) != 1 || err == nil || err.Error() != "line 3: "+tt.want {
			t.Errorf("%s: got %d rows and %v, want 1 row and %q", name, len(got), err, tt.want)
		}
	}
}

func TestRowsStopsAndReportsErrors(t *testing.T) {
	text := write(t, dataset.JSONL, result.Options{}, resulttest.ReadFailed(), resulttest.ReadFailed())
	for r, err := range result.NewReader(strings.NewReader(text), nil).Rows() {
		if err != nil || r.ID != "3" {
			t.Errorf("got %v, %v, want row 3", r, err)
		}
		break
	}
	for _, err := range result.NewReader(iotest.ErrReader(syscall.ENOSPC), nil).Rows() {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want %v", err, syscall.ENOSPC)
		}
	}
}

func TestReaderReadsLongAndUnterminatedLines(t *testing.T) {
	long := resulttest.Scored()
	long.Answer = strings.Repeat("a long answer ", 100_000)
	text := write(t, dataset.JSONL, result.Options{}, long, resulttest.NoClaims(), long, resulttest.Scored())
	got, err := read(strings.TrimSuffix(text, "\n"))
	if err != nil || len(got) != 4 || got[2].Answer != long.Answer {
		t.Errorf("got %d rows and error %v, want 4 rows", len(got), err)
	}
}

// FuzzJSONLRoundTrip checks that a row is valid JSON, and that reading and writing it again
// yields the same bytes.
func FuzzJSONLRoundTrip(f *testing.F) {
	f.Add("id", "answer", "context", "quote", 0.5, 3, uint8(0))
	f.Add("\x00\xff\u2028", "</script>\"\\", "\n\r\t\x7f", "🌕\ud7ff", math.NaN(), -1, uint8(1))
	f.Add("index", "", "", "claims", 1e300, math.MaxInt, uint8(2))
	f.Add("", "read: x", "verdict: y", "", -1e-300, math.MinInt, uint8(3))
	f.Fuzz(func(t *testing.T, id, answer, context, name string, score float64, at int, which uint8) {
		r := []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.ReadFailed()}[which%4]
		r.Index, r.ID, r.Answer, r.Contexts = max(at, 0), id, answer, []string{context, name}
		if utf8.ValidString(name) && !slices.Contains(result.Names(), name) {
			r.Kept = []dataset.Column{{Name: name, Value: dataset.AppendText(nil, context)}, {Name: "n", Value: []byte("[1, {}]")}}
		}
		if r.Status == result.Scored {
			r.Claims = []result.Claim{{
				ID: at, Text: answer, Start: at, End: at,
				Verdict: []result.Verdict{result.Supported, result.Contradicted, result.NotMentioned}[which%3],
				Score:   score, Confidence: score, Reason: context, ChunkIDs: []int{at},
				Evidence: []result.Evidence{{
					Chunk: at, Start: 0, End: at, Quote: name,
					Role: []result.Role{result.RoleSupports, result.RoleContradicts, result.RoleNearest}[which%3],
				}},
				Unsupported: []result.Span{{Start: at, End: int(which)}},
			}}
			if !math.IsNaN(score) && !math.IsInf(score, 0) {
				r.Faithfulness = score
			}
			r.Support, r.Confidence = score, score
		} else if r.Status == result.Failed && answer != "" {
			r.Err = errors.New(answer)
		}
		want := r.AppendJSON(nil)
		if !json.Valid(want) || bytes.IndexByte(want, '\n') >= 0 {
			t.Fatalf("got %q, want JSON in one line", want)
		}
		checkRoundTrip(t, want)
	})
}

// checkRoundTrip checks that reading and writing a line yields the same bytes.
func checkRoundTrip(t *testing.T, want []byte) {
	t.Helper()
	rows, err := read(string(want))
	if err != nil || len(rows) != 1 {
		t.Fatalf("reading %s: got %d rows and error %v", want, len(rows), err)
	}
	if got := rows[0].AppendJSON(nil); !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzReadJSONL checks that any row that is read can be written and read again.
func FuzzReadJSONL(f *testing.F) {
	var b []byte
	for _, r := range []*result.Row{resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.ReadFailed()} {
		b = append(r.AppendJSON(b), '\n')
		f.Add(r.AppendJSON(nil))
	}
	f.Add(b)
	consistent := resulttest.Scored()
	consistent.Skipped, consistent.Faithfulness = nil, 0.5
	f.Add(consistent.AppendJSON(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, _ := read(string(text)) // up to the first error
		for _, r := range rows {
			checkRoundTrip(t, r.AppendJSON(nil))
		}
		// A row that passes the checks still passes them after it is written.
		for r, err := range result.NewReader(bytes.NewReader(text), result.Check).Rows() {
			if err != nil {
				return
			}
			for _, err := range result.NewReader(bytes.NewReader(r.AppendJSON(nil)), result.Check).Rows() {
				if err != nil {
					t.Fatalf("checking %s: %v", r.AppendJSON(nil), err)
				}
			}
		}
	})
}

func BenchmarkReadJSONL(b *testing.B) {
	r := resulttest.Scored()
	r.Contexts = []string{"born in Ulm" + strings.Repeat("a context of a row ", 50), ""}
	r.Skipped, r.Faithfulness = nil, 0.5
	const lines = 1000
	text := bytes.Repeat(append(r.AppendJSON(nil), '\n'), lines)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range result.NewReader(bytes.NewReader(text), nil).Rows() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
