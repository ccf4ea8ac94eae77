package resultfile_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
)

// numbered returns results of all kinds with the given indexes.
func numbered(indexes ...int) []*result.Row {
	var rs []*result.Row
	for _, i := range indexes {
		r := *allResults()[i%len(allResults())]
		r.Index, r.ID = i, fmt.Sprint("id-", i)
		rs = append(rs, &r)
	}
	return rs
}

// openFiles writes and opens a.jsonl, b.jsonl and so on.
func openFiles(t *testing.T, dir string, contents ...[]byte) []*resultfile.File {
	t.Helper()
	var files []*resultfile.File
	for i, content := range contents {
		path := filepath.Join(dir, string(rune('a'+i))+".jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := resultfile.Open(path, resultfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// collect returns the rows up to the first error.
func collect(rows iter.Seq2[*result.Row, error]) ([]*result.Row, error) {
	var rs []*result.Row
	for r, err := range rows {
		if err != nil {
			return rs, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

// However the rows are split over files, merging them yields the file of a single run.
func TestMergeRestoresOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for range 60 {
		n, parts := 1+random.IntN(60), 1+random.IntN(7)
		var indexes []int
		split := make([][]int, parts)
		for i, index := 0, 0; i < n; i++ {
			index += 1 + random.IntN(2)*random.IntN(3) // with gaps, as in a sample
			indexes = append(indexes, index)
			k := random.IntN(parts)
			split[k] = append(split[k], index)
		}
		var contents [][]byte
		for _, part := range split {
			if part != nil {
				contents = append(contents, encode(t, report.FormatJSONL, numbered(part...)))
			}
		}
		rs, err := collect(resultfile.Merge(openFiles(t, t.TempDir(), contents...)))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(encode(t, report.FormatJSONL, rs)), string(encode(t, report.FormatJSONL, numbered(indexes...))); got != want {
			t.Fatalf("%v: got\n%s\nwant\n%s", split, got, want)
		}
	}
}

func TestAppendContinuesIndex(t *testing.T) {
	files := openFiles(t, t.TempDir(), encode(t, report.FormatJSONL, numbered(0, 1, 5)), encode(t, report.FormatJSONL, numbered(0)), encode(t, report.FormatJSONL, numbered(2, 3)))
	rs, err := collect(resultfile.Append(files))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rs {
		got = append(got, fmt.Sprint(r.Index, r.ID))
	}
	if want := "0id-0 1id-1 5id-5 6id-0 9id-2 10id-3"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestMergeErrorsNameBothFiles(t *testing.T) {
	jsonl := func(rs []*result.Row) []byte { return encode(t, report.FormatJSONL, rs) }
	otherDataset := numbered(4)
	otherDataset[0].Answer, otherDataset[0].ID = "another", "x"
	truncated := jsonl(numbered(1, 3))
	for name, tt := range map[string]struct {
		files [][]byte
		merge func([]*resultfile.File) iter.Seq2[*result.Row, error]
		rows  int
		want  string
	}{
		"duplicate row":            {[][]byte{jsonl(numbered(0, 2, 4)), jsonl(numbered(1, 4))}, resultfile.Merge, 3, `a.jsonl:3 and DIRb.jsonl:2 both have index 4, with ids "id-4" and "id-4", and would count twice`},
		"duplicate in three files": {[][]byte{jsonl(numbered(4)), jsonl(numbered(7)), jsonl(numbered(4))}, resultfile.Merge, 0, `a.jsonl:1 and DIRc.jsonl:1 both have index 4`},
		"same index, other id":     {[][]byte{jsonl(numbered(0, 4)), jsonl(otherDataset)}, resultfile.Merge, 1, `a.jsonl:2 and DIRb.jsonl:1 both have index 4, with ids "id-4" and "x", and would count twice; if they are from two datasets, --append`},
		"concatenated files":       {[][]byte{append(jsonl(numbered(1, 3)), jsonl(numbered(2))...)}, resultfile.Merge, 2, `a.jsonl:3: index 2 after 3: rows of a result file must be in ascending order; if it was concatenated from several files, pass those instead`},
		"duplicate in one file":    {[][]byte{append(jsonl(numbered(3)), jsonl(numbered(3))...)}, resultfile.Append, 1, `a.jsonl:2: index 3 after 3`},
		"truncated second file":    {[][]byte{jsonl(numbered(0, 2)), truncated[:len(truncated)-9]}, resultfile.Merge, 2, `b.jsonl:2: invalid JSON: unexpected EOF`},
		"truncated first file":     {[][]byte{truncated[:len(truncated)-9], jsonl(numbered(0, 2))}, resultfile.Append, 1, `a.jsonl:2: invalid JSON: unexpected EOF`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() + string(filepath.Separator)
			rs, err := collect(tt.merge(openFiles(t, dir, tt.files...)))
			if err == nil || !strings.HasPrefix(err.Error(), dir+strings.ReplaceAll(tt.want, "DIR", dir)) || len(rs) != tt.rows {
				t.Errorf("got %d rows and error %v, want %d and %s", len(rs), err, tt.rows, tt.want)
			}
		})
	}
}

// writeSummary writes the summary of a run with the given results.
func writeSummary(t *testing.T, path string, rs []*result.Row) {
	t.Helper()
	storeSummary(t, path, summaryOf(rs, nil))
}

// summaryOf returns the summary of results.
func summaryOf(rs []*result.Row, gates []report.Gate) *report.Summary {
	var tally report.Tally
	var supports report.Supports
	for _, r := range rs {
		_, _ = tally.Write(r), supports.Write(r) // never fail
	}
	return tally.Summary(&supports, gates)
}

// storeSummary writes a summary beside a result file.
func storeSummary(t *testing.T, path string, s *report.Summary) {
	t.Helper()
	content, err := s.Bytes()
	if err == nil {
		err = os.WriteFile(resultfile.SummaryPath(path), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkRows compares a result file with its summary.
func checkRows(t *testing.T, path string) error {
	t.Helper()
	s, err := resultfile.SummaryBeside(path)
	if err == nil {
		_, err = read(path, resultfile.Options{Summary: s, SummaryPath: resultfile.SummaryPath(path)})
	}
	return err
}

// failedSummary returns the summary of a run of failed rows with the given settings,
// which are pairs of name and value. An underscore in a value is a space.
func failedSummary(rows int, datasets []string, settings ...string) *report.Summary {
	s := summaryOf(nil, nil)
	s.Datasets, s.Rows.Total, s.Rows.Failed = datasets, rows, rows
	for i := 0; i < len(settings); i += 2 {
		s.Settings = append(s.Settings, result.Setting{Name: settings[i], Value: strings.ReplaceAll(settings[i+1], "_", " ")})
	}
	return s
}

func TestOriginMergesSettingsOfSummaries(t *testing.T) {
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "c.jsonl")
	storeSummary(t, a, failedSummary(2, []string{"d.jsonl"}, "--shard", "1/2", "--judge", "lexical", "--keep", "doc"))
	storeSummary(t, b, failedSummary(0, []string{"d.jsonl", "e.jsonl"}, "--shard", "2/2", "--judge", "lexical", "--keep", "doc"))
	origin := func(paths ...string) *resultfile.Origin {
		t.Helper()
		o, err := resultfile.OriginOf(paths)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	complete := origin(b, a)
	if !complete.Known || strings.Join(complete.Datasets, " ") != "d.jsonl e.jsonl" || complete.Settings.String() != "--shard 1/1, --judge lexical, --keep doc" || complete.Missing != 0 {
		t.Errorf("both shards: got %+v, want both datasets and no missing shards", complete)
	}
	if got := complete.SummaryOf(a); got == nil || got.Rows.Total != 2 || complete.SummaryOf(c) != nil {
		t.Errorf("got summary %+v of a, want one of 2 rows, and none of c", got)
	}
	if one := origin(a); fmt.Sprint(one.Missing, one.FirstMissing) != "1 [2/2]" || one.Settings.Get("--shard") != "1/2" {
		t.Errorf("one shard: got %+v, want missing shard 2/2", one)
	}
	for range 2 { // without a summary, then with one that has no settings, as report writes if it does not know them
		if partial := origin(a, c); partial.Known || partial.Settings != nil || partial.Datasets != nil {
			t.Errorf("one file without settings: got %+v, want nothing known", partial)
		}
		storeSummary(t, c, failedSummary(2, []string{}))
	}
	storeSummary(t, c, failedSummary(2, []string{"d.jsonl"}, "--shard", "1/3", "--judge", "lexical", "--keep", "x"))
	if mixed := origin(a, c); mixed.Settings.Get("--shard") != "1/2, 1/3" || mixed.Settings.Get("--keep") != "doc, x" {
		t.Errorf("different shards: got %+v", mixed)
	}
	storeSummary(t, c, failedSummary(2, []string{"d.jsonl"}, "--shard", "1/30"))
	if many := origin(c); many.Missing != 29 || len(many.FirstMissing) != 10 {
		t.Errorf("one of 30 shards: got %+v, want 29 missing shards, of which 10 are named", many)
	}
	storeSummary(t, c, failedSummary(2, []string{"d.jsonl"}, "--shard", "2/2", "--judge", "llm", "--model", "m"))
	if _, err := resultfile.OriginOf([]string{a, c}); err == nil || !strings.HasSuffix(err.Error(), "--judge is lexical for "+a+" and llm for "+c) {
		t.Errorf("got %v, want an error about --judge", err)
	}
	if err := os.WriteFile(resultfile.SummaryPath(c), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := resultfile.OriginOf([]string{c}); err == nil || !strings.Contains(err.Error(), "c.summary.json: not a summary") {
		t.Errorf("got %v, want an error about the summary", err)
	}
}

func TestCheckAppendedDetectsRowsThatCountTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b  string // digest and settings
		twice bool
	}{
		"the same run":                {"d --shard 1/1 --seed 1", "d --shard 1/1 --seed 2", true},
		"the same shard":              {"d --shard 1/2", "d --shard 1/2", true},
		"a shard in merged results":   {"d --shard 1/4,_2/4", "d --shard 2/4", true},
		"a run and a shard of it":     {"d --shard 1/1", "d --shard 2/4", true},
		"a shard and its run":         {"d --shard 2/4", "d --shard 1/1", true},
		"another shard":               {"d --shard 1/2", "d --shard 2/2", false},
		"another dataset":             {"d --shard 1/1", "e --shard 1/1", false},
		"unknown datasets":            {"- --shard 1/1", "- --shard 1/1", false},
		"another sample":              {"d --sample 9 --seed 1", "d --sample 9 --seed 2", false},
		"the same sample":             {"d --sample 9 --seed 1", "d --sample 9 --seed 1", true},
		"other rows of one dataset":   {"d --where a=1", "d --where a=2", false},
		"the same rows, other limits": {"d --limit 8", "d --limit 9", true},
		"all rows and some of them":   {"d --shard 1/1", "d --where a=1", true},
		"a sample and its dataset":    {"d --sample 9 --seed 1", "d --shard 1/1", true},
		"some rows and a shard":       {"d --where a=1", "d --shard 2/2", true},
		"a shard and some of another": {"d --shard 1/2", "d --shard 2/2 --where a=1", false},
	} {
		dir := t.TempDir()
		var paths []string
		for i, run := range []string{tt.a, tt.b} {
			digest, settings, _ := strings.Cut(run, " ")
			s := failedSummary(0, nil, strings.Fields(settings)...)
			s.DatasetDigest = strings.Trim(digest, "-")
			paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".jsonl"))
			storeSummary(t, paths[i], s)
		}
		o, err := resultfile.OriginOf(paths)
		if err == nil {
			err = o.CheckAppended()
		}
		if want := paths[0] + " and " + paths[1] + " are results of the same rows"; (err != nil) != tt.twice || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want an error: %t", name, err, tt.twice)
		}
	}
}
