package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// The three kinds of result.
func scored() *eval.Result {
	return &eval.Result{
		Row: dataset.Row{
			Index: 7, ID: "a", Question: "q?", Answer: "Born in Ulm. Died.", Contexts: []string{"born in Ulm", "c\"2\n"},
			Kept: []dataset.Column{{Name: "model", Value: []byte(`"m-1"`)}, {Name: "n", Value: []byte("{\n \"a\": [1,\r\n2] }")}},
		},
		Status: eval.Scored,
		Claims: []extract.Claim{{ID: 0, Text: "Born in Ulm.", Start: 0, End: 12}, {ID: 1, Text: "He died.", Start: -1, End: -1}},
		Verdicts: []verdict.Verdict{
			{
				ClaimID: 0, Label: verdict.Supported, Score: 0.98765432, Reason: "stated", ChunkIDs: []int{0, 1},
				Evidence: []verdict.Evidence{{Chunk: 0, Start: 8, End: 11, Quote: "Ulm"}, {Chunk: 0, Start: 0, End: 4, Quote: "born"}},
			},
			{ClaimID: 1, Label: verdict.Contradicted, Score: 0, Reason: "no"},
		},
		Skipped:      []extract.Skipped{{Kind: extract.Greeting, Text: "Hi!", Start: 1, End: 4}, {Kind: extract.Marks, Text: "*", Start: 5, End: 6}},
		Faithfulness: 1.0 / 3, Support: 0.49382716,
		Usage: usage.Usage{Requests: 1, PromptTokens: 812, CompletionTokens: 94, CachedRequests: 2},
	}
}

func noClaims() *eval.Result {
	return &eval.Result{
		Row:    dataset.Row{Index: 8, ID: "b", Answer: "I don't know.", Contexts: []string{"c"}},
		Status: eval.NoClaims, Reason: "refusal", Faithfulness: math.NaN(), Support: math.NaN(),
	}
}

func failed() *eval.Result {
	return &eval.Result{
		Row:    dataset.Row{Index: 9, ID: "9", Answer: "=1", Contexts: []string{"c"}},
		Status: eval.Failed, Reason: "verdict", Faithfulness: math.NaN(), Support: math.NaN(),
		Claims: []extract.Claim{{ID: 0, Text: "=1", Start: 0, End: 2}},
		Err:    &eval.StageError{Stage: "verdict", Err: errors.New("no reply")},
	}
}

func write(t *testing.T, f Format, o Options, results ...*eval.Result) string {
	t.Helper()
	var b bytes.Buffer
	w, err := New(f, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormatsAreNamedByExtensionOrWord(t *testing.T) {
	for path, want := range map[string]Format{"a.jsonl": "jsonl", "x/B.JSON": "json", "a.b.csv": "csv", "a.tsv": "tsv", "a.Parquet": "parquet", "a.md": "markdown", "a.xml": "junit", "a.html": "html"} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for path, want := range map[string]string{
		"a.markdown": "a.markdown: unknown extension .markdown, want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
		"a":          "a: the extension decides the format, and there is none; want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
		"a.xls":      "a.xls: unknown extension .xls, want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
		"a.table":    "a.table: unknown extension .table, want .jsonl, .json, .csv, .tsv, .parquet, .md, .xml or .html",
	} {
		if _, err := FormatOf(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := New("xls", nil, Options{}); err == nil {
		t.Error("a format that does not exist has a writer")
	}
}

func TestNoneWritesNothing(t *testing.T) {
	if got := write(t, FormatNone, Options{}, scored()); got != "" {
		t.Errorf("%q", got)
	}
}

func TestEveryNameOfAResultIsReserved(t *testing.T) {
	reserved := strings.Join(Reserved(), " ") + " "
	header, _, _ := strings.Cut(write(t, FormatCSV, Options{}, noClaims()), "\n")
	for _, name := range strings.Split(header, ",") {
		if !strings.Contains(reserved, name+" ") {
			t.Errorf("%s is not reserved", name)
		}
	}
}

// failing takes so many bytes and then no more.
type failing struct{ room int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n := f.room
		f.room = 0
		return n, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestEveryFormatReportsAFullDisk(t *testing.T) {
	for _, f := range append(FileFormats(), FormatTable) {
		if f == FormatHTML {
			continue // its writer has a test of its own
		}
		whole, step := len(write(t, f, Options{}, scored(), noClaims(), failed())), 1
		if f == FormatParquet {
			step = 101 // each try takes long
		}
		for room := 0; room < whole; room += step {
			w, err := New(f, &failing{room}, Options{})
			for _, r := range []*eval.Result{scored(), noClaims(), failed()} {
				if err == nil {
					err = w.Write(r)
				}
			}
			if err == nil {
				err = w.Close()
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("%s with room for %d of %d bytes: %v", f, room, whole, err)
			}
		}
	}
}

func TestTallyCountsRowsAndDescribesTheirFaithfulness(t *testing.T) {
	var tally Tally
	zero := noClaims()
	zero.Reason, zero.Faithfulness = "empty", 0
	other := noClaims()
	other.Reason = "nothing_claimed"
	for _, r := range []*eval.Result{scored(), noClaims(), failed(), zero, other} {
		_ = tally.Write(r)
	}
	if got, want := tally.String(), "scored 1, no claims 3 (75.0%; refusal 1, empty 1, nothing claimed 1), failed 1"; got != want {
		t.Errorf("%q", got)
	}
	if tally.Rows != 5 || tally.Faithfulness.Count() != 2 || tally.Faithfulness.Mean() != 1.0/6 {
		t.Error(tally.Rows, tally.Faithfulness.Count(), tally.Faithfulness.Mean())
	}
	if got := (&Tally{Scored: 2}).String(); got != "scored 2, no claims 0, failed 0" {
		t.Errorf("%q", got)
	}
}
