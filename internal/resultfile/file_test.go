package resultfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// allResults returns results of every status with all optional fields and with texts
// that need escaping.
func allResults() []*result.Row {
	hostile := "=1+1\r\n\"quoted\", \x00\x07\u2028 é 'x' \t|\\ "
	start := utf8.RuneCountInString(hostile)
	return []*result.Row{
		{
			Index: 0, ID: "0", Status: result.Failed, Reason: "read", Err: errors.New("f.jsonl:1: answer: want a string, got null"),
			Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN(),
		},
		{
			Index: 3, ID: "007", Question: "-1", Answer: hostile + "Born in Ulm. Hi!", Contexts: []string{"", hostile, "null"},
			Kept: []dataset.Column{
				{Name: "text", Value: []byte(`"@SUM(A1)"`)},
				{Name: "whole", Value: []byte("-12")},
				{Name: "half", Value: []byte("0.5")},
				{Name: "none", Value: []byte("null")},
				{Name: "=name", Value: []byte(`"a"`)},
			},
			Status: result.Scored, Faithfulness: 0.5, Support: 0.493827, Confidence: 0.8125, Unjudged: 2.0 / 3,
			Claims: []result.Claim{
				{
					ID: 0, Text: "Born in Ulm.", Start: start, End: start + 12, Lead: "Life:",
					Verdict: result.Supported, Score: 0.987654, Confidence: 0.8125, Reason: "stated", ChunkIDs: []int{0, 1},
					Evidence: []result.Evidence{{Chunk: 1, Start: 1, End: 4, Quote: "1+1"}, {Chunk: 2, Start: 0, End: 4, Quote: "null"}},
				},
				{
					ID: 1, Text: hostile, Start: -1, End: -1, From: &result.Span{Start: 13, End: 18}, Invented: true,
					Verdict: result.Contradicted, Reason: hostile,
					Evidence:    []result.Evidence{{Chunk: 1, Start: 1, End: 4, Quote: "1+1", Role: result.RoleContradicts}},
					Unsupported: []result.Span{{Start: 0, End: 2}, {Start: 3, End: 7}},
					Reused:      &result.Reused{By: "semantic", Statement: "He has \"died\".", Cosine: 0.912345},
				},
			},
			Skipped: []result.Skipped{{Kind: "greeting", Text: "Hi!", Start: start + 13, End: start + 16}},
			Usage:   usage.Usage{Requests: 1, PromptTokens: 812, CompletionTokens: 94, CachedRequests: 2},
		},
		{
			Index: 8, ID: "b", Answer: "I don't know.", Contexts: []string{"c"}, Status: result.NoClaims, Reason: "refusal", Faithfulness: 1, Support: math.NaN(), Unjudged: 1,
			Skipped: []result.Skipped{{Kind: "refusal", Text: "I don't know.", Start: 0, End: 13}},
		},
		{
			Index: 9, ID: "9", Question: "Is it open?", Answer: "Yes.", Contexts: []string{"c"}, Status: result.Failed, Reason: "verdict", Err: errors.New("verdict: no reply"),
			Claims:       []result.Claim{{ID: 0, Text: "Yes.", JudgedAs: "It is open.", Start: 0, End: 4, Score: math.NaN()}},
			Faithfulness: math.NaN(), Support: math.NaN(), Unjudged: math.NaN(),
		},
	}
}

// encode returns the results in the given format.
func encode(t *testing.T, format report.Format, rs []*result.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := report.New(format, &b, report.Options{KeepAll: true, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeTemp writes a file to a temporary directory and returns its path.
func writeTemp(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the rows up to the first error.
func read(path string, o resultfile.Options) ([]*result.Row, error) {
	f, err := resultfile.Open(path, o)
	if err != nil {
		return nil, err
	}
	return collect(f.Rows())
}

func TestFormatsRoundTrip(t *testing.T) {
	want := string(encode(t, report.FormatJSONL, allResults()))
	for _, f := range []report.Format{report.FormatJSONL, report.FormatJSON, report.FormatParquet, report.FormatCSV, report.FormatTSV} {
		content := encode(t, f, allResults())
		for _, name := range []string{"r" + f.Extension(), "r"} { // format from the extension, and from the content
			rs, err := read(writeTemp(t, name, content), resultfile.Options{Keep: []string{"text", "none"}})
			if err != nil {
				t.Errorf("%s as %s: got error %v, want nil", f, name, err)
				continue
			}
			got := rs
			if f == report.FormatCSV || f == report.FormatTSV { // these formats have neither field
				for i, r := range allResults() {
					got[i].Skipped, got[i].Usage = r.Skipped, r.Usage
				}
			}
			if f != report.FormatJSONL && f != report.FormatJSON { // these formats have kept columns in every row
				for i, r := range allResults() {
					if r.Kept == nil {
						got[i].Kept = nil
					}
				}
			}
			if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(encode(t, report.FormatJSONL, got)), "\n")); d != "" {
				t.Errorf("%s as %s (-want +got):\n%s", f, name, d)
			}
		}
	}
}

func TestOpenReadsCompressedFiles(t *testing.T) {
	content := encode(t, report.FormatJSONL, allResults())
	var gzipped bytes.Buffer
	w := gzip.NewWriter(&gzipped)
	if _, err := w.Write(content); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	path := writeTemp(t, "r.jsonl.gz", gzipped.Bytes())
	for name, stdin := range map[string][]byte{path: nil, "-": content} {
		rs, err := read(name, resultfile.Options{Stdin: bytes.NewReader(stdin)})
		if err != nil || len(rs) != len(allResults()) {
			t.Errorf("%s: got %d results and error %v, want %d", name, len(rs), err, len(allResults()))
		}
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	jsonl := string(encode(t, report.FormatJSONL, allResults()))
	csv := string(encode(t, report.FormatCSV, allResults()))
	dataset := `{"question":"q","answer":"a","contexts":["c"]}` + "\n"
	for name, tt := range map[string]struct {
		file, content, want string
		keep                []string
	}{
		"dataset":               {"d.jsonl", dataset, "d.jsonl:1: not a result, as ragfaith score writes them: it has no index or no status", nil},
		"CSV dataset":           {"d.csv", "id,question,answer,contexts\n1,q,a,c\n", "d.csv: not a result file of ragfaith score: missing column index, faithfulness, support, status, reason, claims, error", nil},
		"summary":               {"s.json", "{\n\"version\":1}\n", "s.json: want an array of rows", nil},
		"Markdown report":       {"r.md", "# report\n", "r.md: not a result file of ragfaith score: missing column index", nil},
		"empty file":            {"e.jsonl", "", "e.jsonl: empty file", nil},
		"truncated line":        {"r.jsonl", jsonl[:len(jsonl)-20], "r.jsonl:4: invalid JSON: unexpected EOF", nil},
		"truncated array":       {"r.json", "[\n" + strings.SplitAfter(jsonl, "\n")[0], "r.json: after row 1: line 3: element 1: invalid JSON", nil},
		"truncated claims":      {"r.csv", strings.Replace(csv, `{""id"":0`, `{""id"":`, 1), "r.csv:3: claims: invalid JSON", nil},
		"missing kept column":   {"r.csv", csv, `r.csv: no column "label"; score with --keep COLUMN to copy one into the results`, []string{"label"}},
		"kept column in no row": {"r.jsonl", jsonl, `r.jsonl: no column "label"; score with --keep COLUMN`, []string{"text", "label"}},
		"two values in a cell":  {"r.csv", strings.Replace(csv, `,[],,,,failed`, `,"[],""x"":[]",,,,failed`, 1), "r.csv:2: contexts: invalid JSON", nil},
		"text as score":         {"r.csv", strings.Replace(csv, "0.493827", "much", 1), "r.csv:3: support: invalid JSON", nil},
	} {
		path := writeTemp(t, tt.file, []byte(tt.content))
		rs, err := read(path, resultfile.Options{Keep: tt.keep})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %d results and error %v, want %s", name, len(rs), err, tt.want)
		}
	}
}

func TestKeptText(t *testing.T) {
	r := allResults()[1]
	for name, want := range map[string]string{"text": "@SUM(A1)", "whole": "-12", "none": "", "other": ""} {
		if got, ok := r.KeptText(name); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", name, got, ok, want)
		}
	}
}

func TestSummaryIsFoundBesideResults(t *testing.T) {
	s := summaryOf(allResults(), []report.Gate{{Name: "min-mean", Threshold: 0.5, Value: math.NaN(), Text: "t"}})
	s.Ragfaith, s.Datasets = "1.2.3", []string{"d.jsonl"}
	s.Settings = result.Settings{{Name: "--judge", Value: "lexical"}, {Name: "--claims", Value: "sen\"tence"}}
	content, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := writeTemp(t, "run.summary.json", content)
	for _, name := range []string{"run.jsonl", "run.csv.gz", "run.jsonl.zst", "run.parquet"} {
		got, err := resultfile.SummaryBeside(filepath.Join(filepath.Dir(path), name))
		if err != nil || got == nil {
			t.Fatalf("%s: got %v, %v, want a summary", name, got, err)
		}
		reread, err := got.Bytes()
		if err != nil || !bytes.Equal(reread, content) {
			t.Errorf("%s: got error %v, summary (-want +got):\n%s", name, err, cmp.Diff(string(content), string(reread)))
		}
	}
	if got, err := resultfile.SummaryBeside(filepath.Join(filepath.Dir(path), "other.jsonl")); got != nil || err != nil {
		t.Errorf("other.jsonl: got %v, %v, want no summary", got, err)
	}
	for content, want := range map[string]string{
		`{"a":1}`: "not a summary, which is what score --summary writes", "[": "not a summary: ",
		strings.Replace(string(content), `"version": 1`, `"version": 9`, 1): "a summary of version 9",
	} {
		bad := writeTemp(t, "bad.json", []byte(content))
		if _, err := resultfile.ReadSummary(bad); err == nil || !strings.HasPrefix(err.Error(), bad+": "+want) {
			t.Errorf("%s: got %v, want %s", content, err, want)
		}
	}
}
