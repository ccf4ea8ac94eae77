package resultfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
)

// all are results of every status, with all that is there only at times, and with
// texts that a format could break.
func all() []*result.Row {
	hostile := "=1+1\r\n\"quoted\", \x07\u2028 é 'x' \t|\\ "
	at := utf8.RuneCountInString(hostile)
	return []*result.Row{
		{
			Index: 0, ID: "0", Status: result.Failed, Reason: "read", Err: errors.New("f.jsonl:1: answer: want a string, got null"),
			Faithfulness: math.NaN(), Support: math.NaN(),
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
			Status: result.Scored, Faithfulness: 0.5, Support: 0.493827,
			Claims: []result.Claim{
				{
					ID: 0, Text: "Born in Ulm.", Start: at, End: at + 12, Lead: "Life:",
					Verdict: result.Supported, Score: 0.987654, Reason: "stated", ChunkIDs: []int{0, 1},
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
			Skipped: []result.Skipped{{Kind: "greeting", Text: "Hi!", Start: at + 13, End: at + 16}},
			Usage:   result.Usage{Requests: 1, PromptTokens: 812, CompletionTokens: 94, CachedRequests: 2},
		},
		{
			Index: 8, ID: "b", Answer: "I don't know.", Contexts: []string{"c"}, Status: result.NoClaims, Reason: "refusal", Faithfulness: 1, Support: math.NaN(),
			Skipped: []result.Skipped{{Kind: "refusal", Text: "I don't know.", Start: 0, End: 13}},
		},
		{
			Index: 9, ID: "9", Question: "Is it open?", Answer: "Yes.", Contexts: []string{"c"}, Status: result.Failed, Reason: "verdict", Err: errors.New("verdict: no reply"),
			Claims:       []result.Claim{{ID: 0, Text: "Yes.", JudgedAs: "It is open.", Start: 0, End: 4, Score: math.NaN()}},
			Faithfulness: math.NaN(), Support: math.NaN(),
		},
	}
}

// written returns the results in that format.
func written(t *testing.T, f report.Format, rs []*result.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := report.New(f, &b, report.Options{KeepAll: true, TempDir: t.TempDir()})
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

// file writes content under that name, and returns the path.
func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(path string, o resultfile.Options) ([]*result.Row, error) {
	f, err := resultfile.Open(path, o)
	if err != nil {
		return nil, err
	}
	var rs []*result.Row
	for r, err := range f.Rows() {
		if err != nil {
			return rs, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

func TestFormatsRoundTrip(t *testing.T) {
	want := string(written(t, report.FormatJSONL, all()))
	for _, f := range []report.Format{report.FormatJSONL, report.FormatJSON, report.FormatParquet, report.FormatCSV, report.FormatTSV} {
		content := written(t, f, all())
		for _, name := range []string{"r" + f.Extension(), "r"} { // by extension, and by content
			rs, err := read(file(t, name, content), resultfile.Options{Keep: []string{"text", "none"}})
			if err != nil {
				t.Errorf("%s as %s: %v", f, name, err)
				continue
			}
			got := rs
			if f == report.FormatCSV || f == report.FormatTSV { // have neither
				for i, r := range all() {
					got[i].Skipped, got[i].Usage = r.Skipped, r.Usage
				}
			}
			if f != report.FormatJSONL && f != report.FormatJSON { // have a kept column in every row
				for i, r := range all() {
					if r.Kept == nil {
						got[i].Kept = nil
					}
				}
			}
			if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(written(t, report.FormatJSONL, got)), "\n")); d != "" {
				t.Errorf("%s as %s: %s", f, name, d)
			}
		}
	}
}

func TestZeroByteRoundTrip(t *testing.T) {
	rs := all()[2:3]
	rs[0].Answer, rs[0].Reason = "a\x00b", "nothing_claimed"
	rs[0].Skipped = []result.Skipped{{Kind: "greeting", Text: "a\x00b", Start: 0, End: 3}}
	for _, f := range []report.Format{report.FormatCSV, report.FormatTSV, report.FormatParquet} {
		got, err := read(file(t, "r"+f.Extension(), written(t, f, rs)), resultfile.Options{})
		if err != nil || got[0].Answer != rs[0].Answer {
			t.Errorf("%s: %v, %v", f, got, err)
		}
	}
}

func TestOpenReadsCompressedFiles(t *testing.T) {
	content := written(t, report.FormatJSONL, all())
	var zipped, packed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface {
		Write(p []byte) (int, error)
		Close() error
	}{g, z} {
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range map[string][]byte{"r.jsonl.gz": zipped.Bytes(), "r.jsonl.zst": packed.Bytes()} {
		rs, err := read(file(t, name, b), resultfile.Options{})
		if err != nil || len(rs) != len(all()) {
			t.Errorf("%s: %d results, %v", name, len(rs), err)
		}
	}
	rs, err := read("-", resultfile.Options{Stdin: bytes.NewReader(content)})
	if err != nil || len(rs) != len(all()) {
		t.Errorf("standard input: %d results, %v", len(rs), err)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	jsonl := string(written(t, report.FormatJSONL, all()))
	csv := string(written(t, report.FormatCSV, all()))
	dataset := `{"question":"q","answer":"a","contexts":["c"]}` + "\n"
	for name, tt := range map[string]struct {
		file, content, want string
		keep                []string
	}{
		"a dataset":            {"d.jsonl", dataset, "d.jsonl:1: not a result: it has no index, no id, no status; results are what ragfaith score writes", nil},
		"a dataset of CSV":     {"d.csv", "id,question,answer,contexts\n1,q,a,c\n", "d.csv: not results, which are what ragfaith score writes: no column index, faithfulness, support, status, reason, claims, error", nil},
		"a summary":            {"s.json", "{\n\"version\":1}\n", "s.json: want an array of objects", nil},
		"a report":             {"r.md", "# report\n", "r.md: not results, which are what ragfaith score writes: no column index", nil},
		"nothing":              {"e.jsonl", "", "e.jsonl: empty file", nil},
		"a line cut off":       {"r.jsonl", jsonl[:len(jsonl)-20], "r.jsonl:4: invalid JSON: it ends too early", nil},
		"an array cut off":     {"r.json", "[\n" + strings.SplitAfter(jsonl, "\n")[0], "r.json: after row 1: line 3: invalid JSON", nil},
		"no claims":            {"r.csv", strings.Replace(csv, ",claims,", ",x,", 1), "r.csv: not results, which are what ragfaith score writes: no column claims", nil},
		"claims cut off":       {"r.csv", strings.Replace(csv, `{""id"":0`, `{""id"":`, 1), "r.csv:3: claims: invalid JSON", nil},
		"no such column":       {"r.csv", csv, `r.csv: no column "label"; score --keep COLUMN carries one into the results`, []string{"label"}},
		"a column in no row":   {"r.jsonl", jsonl, `r.jsonl: no column "label"; score --keep COLUMN`, []string{"text", "label"}},
		"two JSONs in a cell":  {"r.csv", strings.Replace(csv, `,[],,,failed`, `,"[],""x"":[]",,,failed`, 1), "r.csv:2: contexts: invalid JSON", nil},
		"a number for a score": {"r.csv", strings.Replace(csv, "0.493827", "much", 1), "r.csv:3: support: invalid JSON", nil},
	} {
		path := file(t, tt.file, []byte(tt.content))
		rs, err := read(path, resultfile.Options{Keep: tt.keep})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %d results, %v", name, len(rs), err)
		}
	}
}

func TestKeptText(t *testing.T) {
	r := all()[1]
	for name, want := range map[string]string{"text": "@SUM(A1)", "whole": "-12", "none": "", "other": ""} {
		if got, ok := r.KeptText(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// skipped converts the skipped sentences of an answer.
func skipped(sentences []extract.Skipped) []result.Skipped {
	var all []result.Skipped
	for _, s := range sentences {
		all = append(all, result.Skipped{Kind: string(s.Kind), Text: s.Text, Start: s.Start, End: s.End})
	}
	return all
}

func TestSummaryBeside(t *testing.T) {
	var f report.Figures
	for _, r := range all() {
		if err := f.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	s := f.Summary([]report.Gate{{Name: "min-mean", Bar: 0.5, Value: math.NaN(), Text: "t"}}, nil)
	s.Ragfaith, s.Datasets = "1.2.3", []string{"d.jsonl"}
	s.Settings = report.SummaryNames{{Name: "--judge", Value: "lexical"}, {Name: "--claims", Value: "sen\"tence"}}
	content, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := file(t, "run.summary.json", content)
	for _, name := range []string{"run.jsonl", "run.csv.gz", "run.parquet"} {
		got, err := resultfile.SummaryBeside(filepath.Join(filepath.Dir(path), name))
		if err != nil || got == nil {
			t.Fatal(name, got, err)
		}
		again, err := got.Bytes()
		if err != nil || !bytes.Equal(again, content) {
			t.Errorf("%s: %v %s", name, err, cmp.Diff(string(content), string(again)))
		}
	}
	if got, err := resultfile.SummaryBeside(filepath.Join(filepath.Dir(path), "other.jsonl")); got != nil || err != nil {
		t.Error(got, err)
	}
	for content, want := range map[string]string{
		`{"a":1}`: "not a summary, which is what score --summary writes", "[": "not a summary: ",
		strings.Replace(string(content), `"version": 1`, `"version": 9`, 1): "a summary of version 9",
	} {
		bad := file(t, "bad.json", []byte(content))
		if _, err := resultfile.ReadSummary(bad); err == nil || !strings.HasPrefix(err.Error(), bad+": "+want) {
			t.Error(err)
		}
	}
}

// CSV lacks what was skipped, which is found in the answer once more, so that
// results that were read from it can be written as anything. In other formats it
// has to be there.
func TestRowsWithoutClaimsRoundTrip(t *testing.T) {
	var rows []*result.Row
	for i, answer := range []string{"<think>x</think>", "I don't know.", "[1]", "Hello! How are you?", "", "The sky is blue."} {
		e, err := extract.Sentences{}.Extract(t.Context(), "", answer)
		if err != nil {
			t.Fatal(err)
		}
		r := &result.Row{Index: i, ID: strconv.Itoa(i), Answer: answer, Status: result.NoClaims, Reason: e.Reason(), Skipped: skipped(e.Skipped), Faithfulness: math.NaN(), Support: math.NaN()}
		if len(e.Claims) > 0 { // a language model may have found none
			r.Reason, r.Skipped = "nothing_claimed", []result.Skipped{{Kind: "unstated", Text: answer, Start: 0, End: len(answer)}}
		}
		rows = append(rows, r)
	}
	want := written(t, report.FormatJSONL, rows)
	for _, f := range []report.Format{report.FormatCSV, report.FormatTSV, report.FormatParquet} {
		got, err := read(file(t, "r"+f.Extension(), written(t, f, rows)), resultfile.Options{})
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if d := cmp.Diff(string(want), string(written(t, report.FormatJSONL, got))); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
	empty := strings.Replace(string(written(t, report.FormatCSV, rows)), "nothing_claimed", "empty", 1)
	if _, err := read(file(t, "empty.csv", []byte(empty)), resultfile.Options{}); err == nil || !strings.Contains(err.Error(), `reason: got "empty", want ["nothing_claimed"]`) {
		t.Errorf("got %v, want an error", err)
	}
	without := regexp.MustCompile(`,"skipped":\[.*?\]`).ReplaceAllString(string(want), "")
	if _, err := read(file(t, "without.jsonl", []byte(without)), resultfile.Options{}); err == nil || !strings.Contains(err.Error(), "no_claims, without the answer and what was skipped") {
		t.Errorf("got %v, want an error", err)
	}
}
