package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fakeJudge supports claims of some lengths and counts what it is asked. It fails
// for the rows that are down.
type fakeJudge struct {
	asked map[string]int
	down  map[string]bool
}

func (f *fakeJudge) Extract(_ context.Context, _, answer string) (extract.Extraction, error) {
	if answer == "" {
		return extract.Extraction{}, nil
	}
	return extract.Extraction{Claims: []extract.Claim{{Text: answer, Start: -1, End: -1}}}, nil
}

func (f *fakeJudge) Judge(_ context.Context, task verdict.Task) (verdict.Judgement, error) {
	text := task.Claims[0].Text
	f.asked[text]++
	if f.down[text] {
		return verdict.Judgement{}, errors.New("the server is down")
	}
	v := verdict.Verdict{Label: verdict.Label(len(text) % 2), Score: float64(len(text)%7) / 7, Reason: "see\n" + text}
	if v.Score >= 0.5 {
		v.Label = verdict.Supported
	}
	return verdict.Judgement{Verdicts: []verdict.Verdict{v}}, nil
}

// rowsOf yields n rows of all kinds.
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

// altered yields rows of which one is changed.
func altered(rows iter.Seq2[dataset.Row, error], index int, change func(*dataset.Row, *error)) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if row.Index == index {
				change(&row, &err)
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

// score is a run. With kill it ends after the row that is written when the file
// has so many bytes, of which no more are there then, and nothing is tidied up.
func score(t *testing.T, path string, rows iter.Seq2[dataset.Row, error], judge *fakeJudge, settings Settings, resume bool, kill int64) (*Stored, error) {
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
	err = p.Run(t.Context(), func(yield func(dataset.Row, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
		if stored != nil {
			if err := stored.Rest(); err != nil {
				yield(dataset.Row{}, err)
			}
		}
	}, sinkFunc(func(r *result.Row) error {
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
		at := j.part + newSuffix
		if _, statErr := os.Stat(at); statErr != nil {
			at = j.part
		}
		if stored != nil {
			stored.Close()
		}
		if err := errors.Join(j.file.Close(), os.Truncate(at, kill)); err != nil {
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

func newJudge() *fakeJudge { return &fakeJudge{asked: map[string]int{}, down: map[string]bool{}} }

var half = Settings{{"--threshold", "0.5"}, {"--judge", "fake"}}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func undisturbed(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if _, err := score(t, path, rowsOf(n), newJudge(), half, false, 0); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, path); names != "out.jsonl" {
		t.Error(names)
	}
	return contentOf(t, path)
}

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
	want := undisturbed(t, rows)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), "out.jsonl")
		judge, killed := newJudge(), 0
		for {
			kill := int64(0)
			if killed < 6 {
				kill = 1 + random.Int64N(int64(len(want)))
			}
			_, err := score(t, path, rowsOf(rows), judge, half, true, kill)
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			killed++
		}
		if got := contentOf(t, path); got != want {
			t.Fatalf("seed %d: the results differ after %d kills", seed, killed)
		}
		if names := namesIn(t, path); names != "out.jsonl" {
			t.Fatal(names)
		}
		// A kill cuts a row, and one more was in flight.
		asked := 0
		for _, n := range judge.asked {
			asked += n
		}
		const claims = rows - 6 - 5 // without the empty and the unreadable ones
		if most := claims + killed*2; asked < claims || asked > most {
			t.Errorf("seed %d: %d rows were judged, want no more than %d", seed, asked, most)
		}
	}
}

func TestStoredRowsAreNotJudgedAgain(t *testing.T) {
	const rows = 60
	whole := undisturbed(t, rows)
	path := filepath.Join(t.TempDir(), "out.jsonl")
	for cut := len(whole); cut > 0; cut -= 397 {
		if _, err := score(t, path, rowsOf(rows), newJudge(), half, true, int64(cut)); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		judge := newJudge()
		stored, err := score(t, path, rowsOf(rows), judge, half, true, 0)
		if err != nil || contentOf(t, path) != whole {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := strings.SplitAfter(whole[:cut], "\n")
		kept := len(lines) - 1
		if kept == 0 {
			if stored != nil {
				t.Errorf("cut at %d: there was something to go on from", cut)
			}
			continue
		}
		if stored.Kept() != kept || stored.Again() != 0 {
			t.Errorf("cut at %d: %d kept, want %d; %d again", cut, stored.Kept(), kept, stored.Again())
		}
		for i, row := range strings.SplitAfter(whole, "\n")[:kept] {
			if n := judge.asked[fmt.Sprintf("answer %d %s", i, strings.Repeat("é", i%9))]; n > 0 {
				t.Errorf("cut at %d: a stored row was judged: %s", cut, row)
			}
		}
	}
}

func TestFailedRowsAreJudgedAgain(t *testing.T) {
	const rows = 60
	want := undisturbed(t, rows)
	path := filepath.Join(t.TempDir(), "out.jsonl")
	judge := newJudge()
	down := []string{"answer 0 ", "answer 20 éé", "answer 41 ééééé"}
	for _, text := range down {
		judge.down[text] = true
	}
	if _, err := score(t, path, rowsOf(rows), judge, half, false, int64(len(want)*9/10)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	// A kill between two of them loses neither that one nor the rows after.
	clear(judge.down)
	if _, err := score(t, path, rowsOf(rows), judge, half, true, int64(len(want)/2)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if names := namesIn(t, path); !strings.Contains(names, "part.new") {
		t.Fatalf("this test needs the kill to come before the switch: %s", names)
	}
	stored, err := score(t, path, rowsOf(rows), judge, half, true, 0)
	if err != nil || contentOf(t, path) != want {
		t.Fatal(err)
	}
	if stored.Again() != 1 {
		t.Errorf("%d are judged again", stored.Again())
	}
	for text, n := range judge.asked {
		if want := 2; n > want && text != down[2] {
			t.Errorf("%q was judged %d times", text, n)
		}
	}
}
