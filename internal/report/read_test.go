package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// read does not compare the fields of a result with each other.
func read(text string) (results []*eval.Result, err error) {
	lines := NewResultReader(strings.NewReader(text))
	lines.own = true
	for {
		r, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return results, nil
		}
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
}

func unread() *eval.Result {
	return &eval.Result{
		Row: dataset.Row{Index: 3, ID: "3"}, Status: eval.Failed, Reason: "read",
		Faithfulness: math.NaN(), Support: math.NaN(), Err: errors.New("f.jsonl:4: answer: want a string, got null"),
	}
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	s := scored()
	s.Verdicts[0].Score, s.Support = 0.987654, 0.493827 // as they are written
	s.Row.Kept[1].Value = []byte(`{"a":[1,2]}`)
	want := []*eval.Result{s, noClaims(), failed(), unread()}
	got, err := read(write(t, FormatJSONL, Options{}, want...))
	if err != nil {
		t.Fatal(err)
	}
	errorText := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), errorText); d != "" {
		t.Error(d)
	}
	var stage *eval.StageError
	if !errors.As(got[2].Err, &stage) || stage.Stage != "verdict" {
		t.Errorf("%#v", got[2].Err)
	}
}

func TestEveryFormatIsTheSameFromResultsThatWereRead(t *testing.T) {
	all := []*eval.Result{scored(), noClaims(), failed(), unread()}
	stored, err := read(write(t, FormatJSONL, Options{}, all...))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range StreamFormats() {
		o := Options{KeepAll: true}
		if d := cmp.Diff(write(t, f, o, all...), write(t, f, o, stored...)); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestALineThatIsNoResultEndsTheReading(t *testing.T) {
	good := write(t, FormatJSONL, Options{}, noClaims())
	with := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatal(old)
		}
		return strings.Replace(good, old, new, 1)
	}
	claim := `{"id":0,"text":"a","start":0,"end":1,"verdict":"supported","score":1.0,"reason":"","chunk_ids":[],"evidence":[]}`
	for name, tt := range map[string]struct{ line, want string }{
		"no JSON":                  {"hello\n", "invalid JSON at column 1"},
		"no object":                {"[1]\n", "want an object"},
		"cut off":                  {good[:len(good)/2], "invalid JSON: it ends too early"},
		"two objects":              {strings.TrimSpace(good) + good, "text after the object"},
		"something else":           {`{"a":1}` + "\n", "not a result: it has no index, no id, no status"},
		"an index of a half":       {with(`"index":8`, `"index":8.5`), "index: want a whole number"},
		"an id that is a number":   {with(`"id":"b"`, `"id":1`), "id: want a string"},
		"contexts that are none":   {with(`"contexts":["c"]`, `"contexts":"c"`), "contexts: want an array"},
		"a context that is null":   {with(`"contexts":["c"]`, `"contexts":[null]`), "contexts: want a string"},
		"an unknown status":        {with(`"no_claims"`, `"fine"`), `status: unknown "fine"`},
		"a field twice":            {with(`"id":"b"`, `"id":"b","id":"b"`), "id: comes twice"},
		"a score that is a text":   {with(`"support":null`, `"support":"1"`), "support: want a number"},
		"support above one":        {with(`"support":null`, `"support":1.5`), "support: got 1.5, want a number from 0 to 1"},
		"faithfulness below zero":  {with(`"faithfulness":null`, `"faithfulness":-0.5`), "faithfulness: got -0.5, want a number from 0 to 1"},
		"a claim's score below":    {with(`"claims":[]`, `"claims":[`+strings.Replace(claim, `"score":`, `"score":-`, 1)+`]`), "score: got -1, want a number from 0 to 1"},
		"scored without claims":    {with(`"no_claims"`, `"scored"`), "status: scored, without a verdict on every claim or without a score"},
		"failed without an error":  {with(`"no_claims"`, `"failed"`), "status: failed, without an error"},
		"an unknown verdict":       {with(`"claims":[]`, `"claims":[`+strings.Replace(claim, "supported", "yes", 1)+`]`), `verdict: unknown "yes"`},
		"a claim with more":        {with(`"claims":[]`, `"claims":[{"id":0,"x":1}]`), "x: unknown"},
		"one verdict for two":      {with(`"claims":[]`, `"claims":[{"id":0,"verdict":null},`+claim+`]`), "claims: some have a verdict and some have none"},
		"a role of no kind":        {with(`"claims":[]`, `"claims":[{"id":0,"evidence":[{"role":"best"}]}]`), "role: unknown \"best\""},
		"evidence with more":       {with(`"claims":[]`, `"claims":[{"id":0,"evidence":[{"x":1}]}]`), "x: unknown"},
		"usage with more":          {with(`"requests":0`, `"requests":0,"x":1`), "x: unknown"},
		"skipped with more":        {with(`"skipped":[]`, `"skipped":[{"x":1}]`), "x: unknown"},
		"a value that is cut off":  {`{"index":1,"id":`, "invalid JSON: it ends too early"},
		"zeroes of a lost sector":  {strings.Repeat("\x00", 100), "invalid JSON at column 1"},
		"a string that isn't UTF8": {with(`"id":"b"`, "\"id\":\"\xff\""), "invalid JSON at column 18"},
	} {
		got, err := read(good + "\n" + tt.line)
		if len(got) != 1 || err == nil || err.Error() != "line 3: "+tt.want {
			t.Errorf("%s: %d results, %v", name, len(got), err)
		}
	}
}

func TestAReadingCanBeEndedAndItsErrorsAreTold(t *testing.T) {
	text := write(t, FormatJSONL, Options{}, unread(), unread())
	for r, err := range ReadJSONL(strings.NewReader(text)) {
		if err != nil || r.Row.ID != "3" {
			t.Error(r, err)
		}
		break
	}
	for _, err := range ReadJSONL(iotest.ErrReader(errFull)) {
		if err == nil || !strings.Contains(err.Error(), errFull.Error()) {
			t.Error(err)
		}
	}
}

func TestLongLinesAndALastOneWithoutAnEndAreRead(t *testing.T) {
	long := scored()
	long.Row.Answer = strings.Repeat("a long answer ", 100_000)
	text := write(t, FormatJSONL, Options{}, long, noClaims(), long, scored())
	got, err := read(strings.TrimSuffix(text, "\n"))
	if err != nil || len(got) != 4 || got[2].Row.Answer != long.Row.Answer {
		t.Error(len(got), err)
	}
}

// FuzzJSONLRoundTrip writes any result, reads it and writes it again.
func FuzzJSONLRoundTrip(f *testing.F) {
	f.Add("id", "answer", "context", "quote", 0.5, 3, uint8(0))
	f.Add("\x00\xff\u2028", "</script>\"\\", "\n\r\t\x7f", "🌕\ud7ff", math.NaN(), -1, uint8(1))
	f.Add("index", "", "", "claims", 1e300, math.MaxInt, uint8(2))
	f.Add("", "read: x", "verdict: y", "", -1e-300, math.MinInt, uint8(3))
	f.Fuzz(func(t *testing.T, id, answer, context, name string, score float64, at int, which uint8) {
		r := []*eval.Result{scored(), noClaims(), failed(), unread()}[which%4]
		r.Row.Index, r.Row.ID, r.Row.Answer, r.Row.Contexts = at, id, answer, []string{context, name}
		if utf8.ValidString(name) && fieldOf(name) == 0 {
			r.Row.Kept = []dataset.Column{{Name: name, Value: appendString(nil, context)}, {Name: "n", Value: []byte("[1, {}]")}}
		}
		if r.Status == eval.Scored {
			r.Claims = []extract.Claim{{ID: at, Text: answer, Start: at, End: at}}
			r.Verdicts = []verdict.Verdict{{ClaimID: at, Label: verdict.Label(which % 3), Score: score, Reason: context, ChunkIDs: []int{at}, Evidence: []verdict.Evidence{{Chunk: at, Start: 0, End: at, Quote: name, Role: verdict.RoleOf(verdict.Label(which % 3))}}, Unsupported: []extract.Span{{Start: at, End: int(which)}}}}
			if !math.IsNaN(score) && !math.IsInf(score, 0) {
				r.Faithfulness = score
			}
			r.Support = score
		} else if r.Status == eval.Failed && answer != "" {
			r.Err = errors.New(answer)
		}
		once := appendResult(nil, r)
		back, err := read(string(once) + "\n")
		if err != nil || len(back) != 1 {
			t.Fatalf("%v: %s", err, once)
		}
		if twice := appendResult(nil, back[0]); !bytes.Equal(once, twice) {
			t.Errorf("\n%s\n%s", once, twice)
		}
	})
}

// FuzzReadJSONL reads anything: what is taken for a result can be written, and
// is then read as the same result.
func FuzzReadJSONL(f *testing.F) {
	var b []byte
	for _, r := range []*eval.Result{scored(), noClaims(), failed(), unread()} {
		b = append(appendResult(b, r), '\n')
		f.Add(appendResult(nil, r))
	}
	f.Add(b)
	sound := scored()
	sound.Skipped, sound.Faithfulness = nil, 0.5
	f.Add(appendResult(nil, sound))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, _ := read(string(text)) // up to the first error
		for _, r := range all {
			once := appendResult(nil, r)
			again, err := read(string(once))
			if err != nil || len(again) != 1 {
				t.Fatalf("%v: %s", err, once)
			}
			if twice := appendResult(nil, again[0]); !bytes.Equal(once, twice) {
				t.Fatalf("\n%s\n%s", once, twice)
			}
		}
		// What agrees with itself does so when it is written again.
		for r, err := range ReadJSONL(bytes.NewReader(text)) {
			if err != nil {
				return
			}
			for _, err := range ReadJSONL(bytes.NewReader(appendResult(nil, r))) {
				if err != nil {
					t.Fatalf("%v: %s", err, appendResult(nil, r))
				}
			}
		}
	})
}

func BenchmarkReadJSONL(b *testing.B) {
	r := scored()
	r.Row.Contexts = []string{"born in Ulm" + strings.Repeat("a context of a row ", 50), ""}
	r.Skipped, r.Faithfulness = nil, 0.5
	text := append(appendResult(nil, r), '\n')
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	lines := NewResultReader(&repeated{text: text})
	for b.Loop() {
		if _, err := lines.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

// repeated is a text without an end.
type repeated struct {
	text []byte
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}
