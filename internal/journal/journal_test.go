package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fakeJudge derives verdicts from the length of claims. It counts its calls and fails
// for some claims.
type fakeJudge struct {
	calls map[string]int  // number of calls by claim
	fails map[string]bool // claims that fail
}

func (f *fakeJudge) Extract(_ context.Context, _, answer string) (extract.Extraction, error) {
	if answer == "" {
		return extract.Extraction{}, nil
	}
	return extract.Extraction{Claims: []extract.Claim{{Text: answer, Start: -1, End: -1}}}, nil
}

func (f *fakeJudge) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	text := task.Claims[0].Text
	f.calls[text]++
	if f.fails[text] {
		return verdict.Judgement{}, errors.New("the server is down")
	}
	v := verdict.Verdict{Label: verdict.Label(len(text) % 2), Score: float64(len(text)%7) / 7, Reason: "see\n" + text}
	if v.Score >= 0.5 {
		v.Label = verdict.Supported
	}
	return verdict.Judgement{Verdicts: []verdict.Verdict{v}}, nil
}

// rowsOf yields n rows, some of which are empty or unreadable.
func rowsOf(n int) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for i := range n {
			row := dataset.Row{
				Index: i, ID: "r" + strconv.Itoa(i), Question: "q\xff?", Answer: fmt.Sprintf("answer %d %s", i, strings.Repeat("é", i%9)),
				Contexts: []string{"c \u2028", "d"}, File: "f.jsonl", Line: i + 1,
				Kept: []dataset.Column{{Name: "n", Value: []byte(`{"a": [1]}`)}},
			}
			var err error
			switch i % 11 {
			case 4:
				row.Answer = ""
			case 7:
				row.Contexts, err = nil, &dataset.RowError{File: "f.jsonl", Line: i + 1, Err: errors.New("bad \xfe")}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

var errKilled = errors.New("killed")

type sinkFunc func(*result.Row) error

func (f sinkFunc) Write(r *result.Row) error { return f(r) }

// score runs the pipeline. If kill is not 0, it simulates a process that is killed when
// the file has kill bytes.
func score(t *testing.T, path string, rows iter.Seq2[dataset.Row, error], judge *fakeJudge, settings result.Settings, resume bool, kill int64) (*Stored, error) {
	t.Helper()
	j, err := Open(path, settings, resume)
	if err != nil {
		return nil, err
	}
	p := eval.Pipeline{Extractor: judge, Judge: judge, Workers: 1, Window: 1}
	stored := j.Stored()
	if stored != nil {
		p.Earlier = stored.Next
	}
	w, err := result.NewWriter(dataset.JSONL, j, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var written int64
	err = p.Run(t.Context(), stored.RejectUnmatched(rows), sinkFunc(func(r *result.Row) error {
		if err := errors.Join(w.Write(r), j.Wrote()); err != nil {
			return err
		}
		if written += int64(len(r.AppendJSON(nil))) + 1; kill > 0 && written >= kill {
			return errKilled
		}
		return nil
	}))
	switch {
	case errors.Is(err, errKilled):
		file := j.part + newSuffix
		if _, statErr := os.Stat(file); statErr != nil {
			file = j.part
		}
		if stored != nil {
			stored.Close()
		}
		if err := errors.Join(j.file.Close(), os.Truncate(file, kill)); err != nil {
			t.Fatal(err)
		}
		j.file.Release()
		return stored, errKilled
	case err != nil:
		_, abandonErr := j.Abandon(true)
		return stored, errors.Join(err, abandonErr)
	}
	return stored, j.Commit()
}

// readStored reads the stored results of the first n rows, as a run that is interrupted
// before it writes any does. It returns how many are kept, and the warnings.
func readStored(t *testing.T, path string, n int) (kept int, warnings string) {
	t.Helper()
	j, err := Open(path, testSettings, true)
	if err != nil {
		t.Fatal(err)
	}
	j.Stored().Warn = func(err error) { warnings += err.Error() }
	for row, err := range rowsOf(n) {
		if _, err := j.Stored().Next(&row, err); err != nil {
			t.Error(err)
		}
	}
	kept = j.Stored().Kept()
	if _, err := j.Abandon(true); err != nil {
		t.Error(err)
	}
	return kept, warnings
}

func newJudge() *fakeJudge { return &fakeJudge{calls: map[string]int{}, fails: map[string]bool{}} }

var testSettings = result.Settings{{Name: "--threshold", Value: "0.5"}, {Name: "--judge", Value: "fake"}}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// uninterruptedResults returns the results of a run over n rows.
func uninterruptedResults(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if _, err := score(t, path, rowsOf(n), newJudge(), testSettings, false, 0); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, path); names != "out.jsonl" {
		t.Errorf("got files %s, want out.jsonl", names)
	}
	return readFile(t, path)
}

// namesIn returns the names in the directory of path.
func namesIn(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestKilledRunsResumeToSameResults(t *testing.T) {
	const rows = 60
	want := uninterruptedResults(t, rows)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "out.jsonl")
		judge, kills := newJudge(), 0
		for {
			kill := int64(0)
			if kills < 6 {
				kill = 1 + random.Int64N(int64(len(want)))
			}
			_, err := score(t, path, rowsOf(rows), judge, testSettings, true, kill)
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatalf("seed %d: got error %v, want %v", seed, err, errKilled)
			}
			kills++
		}
		if got := readFile(t, path); got != want {
			t.Fatalf("seed %d: results after %d kills differ from an uninterrupted run", seed, kills)
		}
		if names := namesIn(t, path); names != "out.jsonl" {
			t.Fatalf("got files %s, want out.jsonl", names)
		}
		calls := 0
		for _, n := range judge.calls {
			calls += n
		}
		const claims = rows - 6 - 5 // without empty and unreadable rows
		// Each kill loses the truncated row and one row in flight.
		if limit := claims + kills*2; calls < claims || calls > limit {
			t.Errorf("seed %d: got %d calls, want %d to %d", seed, calls, claims, limit)
		}
	}
}

func TestStoredRowsAreNotRescored(t *testing.T) {
	const rows = 60
	want := uninterruptedResults(t, rows)
	path := filepath.Join(t.TempDir(), "out.jsonl")
	for cut := len(want); cut > 0; cut -= 397 {
		if _, err := score(t, path, rowsOf(rows), newJudge(), testSettings, true, int64(cut)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		judge := newJudge()
		stored, err := score(t, path, rowsOf(rows), judge, testSettings, true, 0)
		if err != nil || readFile(t, path) != want {
			t.Fatalf("cut at byte %d: got error %v, or results that differ from an uninterrupted run", cut, err)
		}
		lines := strings.SplitAfter(want[:cut], "\n")
		kept := len(lines) - 1
		if kept == 0 {
			if stored != nil {
				t.Errorf("cut at byte %d: got stored rows, want none", cut)
			}
			continue
		}
		if stored.Kept() != kept || stored.Retried() != 0 {
			t.Errorf("cut at byte %d: got %d rows kept and %d retried, want %d and 0", cut, stored.Kept(), stored.Retried(), kept)
		}
		for i, row := range strings.SplitAfter(want, "\n")[:kept] {
			if n := judge.calls[fmt.Sprintf("answer %d %s", i, strings.Repeat("é", i%9))]; n > 0 {
				t.Errorf("cut at byte %d: stored row was rescored: %s", cut, row)
			}
		}
	}
}

func TestFailedRowsAreRescored(t *testing.T) {
	const rows = 60
	want := uninterruptedResults(t, rows)
	path := filepath.Join(t.TempDir(), "out.jsonl")
	judge := newJudge()
	failing := []string{"answer 0 ", "answer 20 éé", "answer 41 ééééé"}
	for _, text := range failing {
		judge.fails[text] = true
	}
	if _, err := score(t, path, rowsOf(rows), judge, testSettings, false, int64(len(want)*9/10)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	// A second kill, between two failed rows, loses neither failed nor later rows.
	clear(judge.fails)
	if _, err := score(t, path, rowsOf(rows), judge, testSettings, true, int64(len(want)/2)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if names := namesIn(t, path); !strings.Contains(names, "part.new") {
		t.Fatalf("got files %s, want a .part.new that has not yet replaced .part", names)
	}
	stored, err := score(t, path, rowsOf(rows), judge, testSettings, true, 0)
	if err != nil || readFile(t, path) != want {
		t.Fatalf("got error %v, or results that differ from an uninterrupted run", err)
	}
	if stored.Retried() != len(failing) {
		t.Errorf("got %d rows retried, want %d", stored.Retried(), len(failing))
	}
	for text, n := range judge.calls {
		if n > 2 && !slices.Contains(failing, text) {
			t.Errorf("%q: got %d calls, want at most 2", text, n)
		}
	}
}

func TestLongerFileIsKept(t *testing.T) {
	for name, tt := range map[string]struct{ part, added, want string }{
		".part":       {"1\n2\n3", "4\n", "1\n2\n3"},
		".part.new":   {"1\n2\n", "3\n4\n5\n", "3\n4\n5\n"},
		"equal":       {"1\n2\n", "3\n4\n5", "3\n4\n5"},
		"no complete": {"1", "2", "1"},
	} {
		part := filepath.Join(t.TempDir(), "out.jsonl.part")
		err := errors.Join(os.WriteFile(part, []byte(tt.part), 0o600), os.WriteFile(part+newSuffix, []byte(tt.added), 0o600), keepLonger(part))
		if got := readFile(t, part); err != nil || got != tt.want || namesIn(t, part) != "out.jsonl.part" {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, tt.want)
		}
	}
}

// A disk error is not the end of the rows: nothing may be removed or overwritten.
func TestReadErrorIsNotTheEnd(t *testing.T) {
	line, _, _ := strings.Cut(uninterruptedResults(t, 2), "\n")
	open := func() io.Reader {
		return io.MultiReader(strings.NewReader(line+"\n"+line[:20]), iotest.ErrReader(syscall.EIO))
	}
	s := &Stored{Part: "out.jsonl.part", lines: result.NewReader(open(), nil)}
	for row, err := range rowsOf(1) {
		if r, err := s.Next(&row, err); r == nil || err != nil {
			t.Errorf("first row: got %v, %v, want a result", r, err)
		}
		if r, err := s.Next(&row, err); r != nil || !errors.Is(err, syscall.EIO) {
			t.Errorf("second row: got %v, %v, want %v", r, err, syscall.EIO)
		}
	}
	if err := s.unmatched(); !errors.Is(err, syscall.EIO) {
		t.Errorf("unmatched: got %v, want %v", err, syscall.EIO)
	}
}
