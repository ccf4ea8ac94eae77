package journal

import (
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// interrupted returns the output path of a run over 30 rows that was killed about halfway,
// and the content of its .part file.
func interrupted(t *testing.T) (path, part string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "out.jsonl")
	size := int64(len(uninterruptedResults(t, 30)))
	if _, err := score(t, path, rowsOf(30), newJudge(), testSettings, false, size/2); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return path, readFile(t, path+".part")
}

func TestChangedDatasetIsRejected(t *testing.T) {
	path, part := interrupted(t)
	edit := func(index int, change func(*dataset.Row, *error)) iter.Seq2[dataset.Row, error] {
		return func(yield func(dataset.Row, error) bool) {
			for row, err := range rowsOf(30) {
				if row.Index == index {
					change(&row, &err)
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}
	for _, tt := range []struct {
		rows iter.Seq2[dataset.Row, error]
		want string
	}{
		{edit(3, func(r *dataset.Row, _ *error) { r.ID = "other" }), "row 3 (f.jsonl:4): id changed"},
		{edit(0, func(r *dataset.Row, _ *error) { r.Question = "other" }), "row 0 (f.jsonl:1): question changed"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Answer += "." }), "row 5 (f.jsonl:6): answer changed"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Contexts = []string{"d", "c"} }), "row 5 (f.jsonl:6): contexts changed"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Index = 6 }), "row 6 (f.jsonl:6): index changed from 5 to 6"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Kept[0].Value = []byte("2") }), "row 5 (f.jsonl:6): kept columns changed"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Kept[0].Name = "m" }), "row 5 (f.jsonl:6): kept columns changed"},
		{edit(5, func(r *dataset.Row, _ *error) { r.Kept = nil }), "row 5 (f.jsonl:6): kept columns changed"},
		{edit(7, func(_ *dataset.Row, err *error) { *err = nil }), "row 7 (f.jsonl:8): previously unreadable, now readable"},
		{edit(7, func(_ *dataset.Row, err *error) { *err = &dataset.RowError{File: "f", Line: 8, Err: errors.New("x")} }), "row 7 (f.jsonl:8): unreadable for another reason: f:8: x"},
		{edit(6, func(_ *dataset.Row, err *error) { *err = &dataset.RowError{File: "f", Line: 7, Err: errors.New("x")} }), "row 6 (f.jsonl:7): now unreadable: f:7: x"},
		{rowsOf(2), "row 2 is no longer in the dataset"},
	} {
		_, err := score(t, path, tt.rows, newJudge(), testSettings, true, 0)
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.What != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if got := readFile(t, path+".part"); got != part {
			t.Fatalf("%s: .part was modified", tt.want)
		}
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), testSettings, true, 0); err != nil {
		t.Error(err)
	}
}

func TestDifferentSettingsAreRejected(t *testing.T) {
	path, part := interrupted(t)
	for _, tt := range []struct {
		settings result.Settings
		want     string
	}{
		{result.Settings{{Name: "--threshold", Value: "0.6"}, {Name: "--judge", Value: "fake"}}, "--threshold was 0.5, is 0.6"},
		{result.Settings{{Name: "--threshold", Value: "0.6"}, {Name: "--judge", Value: ""}}, "--threshold was 0.5, is 0.6; --judge was fake, is empty"},
		{result.Settings{{Name: "--judge", Value: "fake"}, {Name: "--model", Value: "m"}}, "--model was not set, is m; --threshold was 0.5, is not set"},
	} {
		_, err := score(t, path, rowsOf(30), newJudge(), tt.settings, true, 0)
		var changed *SettingsError
		if !errors.As(err, &changed) || !strings.HasSuffix(err.Error(), " with different settings: "+tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), result.Settings{testSettings[1], testSettings[0]}, true, 1); !errors.Is(err, errKilled) {
		t.Error(err)
	}
	if got := readFile(t, path+".part"); got != part {
		t.Errorf(".part: got %q, want %q", got, part)
	}
}

func TestMissingSettingsAreRejected(t *testing.T) {
	path, _ := interrupted(t)
	settings := path + ".part.settings"
	for _, content := range []string{"", "{", "{}", "null"} {
		if err := os.WriteFile(settings, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, testSettings, true); err == nil || !strings.Contains(err.Error(), "does not contain the settings of its run") {
			t.Errorf("settings %q: got %v, want an error about them", content, err)
		}
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, testSettings, true); err == nil || !strings.Contains(err.Error(), "are missing; remove it to start over") {
		t.Errorf("got %v, want an error about missing settings", err)
	}
}

func TestOpenDoesNotOverwriteResults(t *testing.T) {
	path, part := interrupted(t)
	_, err := Open(path, testSettings, false)
	if want := path + ".part contains rows of an interrupted run"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	if got := readFile(t, path+".part"); got != part {
		t.Errorf(".part: got %q, want %q", got, part)
	}
	if names := namesIn(t, path); names != "out.jsonl.part out.jsonl.part.settings" {
		t.Errorf("got files %s, want .part and its settings", names)
	}
	// A .part without a complete row may be overwritten.
	if err := os.WriteFile(path+".part", []byte(part[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), testSettings, false, 0); err != nil {
		t.Error(err)
	}
}

func TestRowOfDamagedLineIsRescored(t *testing.T) {
	want := uninterruptedResults(t, 30)
	for name, corrupt := range map[string]func(line string) string{
		"extra spaces": func(line string) string { return strings.Replace(line, ":", ": ", 1) },
		"not JSON":     func(string) string { return "x\n" },
		"zero bytes":   func(line string) string { return strings.Repeat("\x00", len(line)-1) + "\n" },
		"contradiction": func(line string) string {
			return strings.NewReplacer(`"faithfulness":0.0`, `"faithfulness":1.0`, `"faithfulness":1.0`, `"faithfulness":0.0`).Replace(line)
		},
		"truncated row": func(line string) string { return line[:len(line)/2] + "\n" },
		"unknown field": func(line string) string {
			return strings.Replace(line, `"cached_requests":0`, `"cached_requests":0,"x":1`, 1)
		},
		"two lines": func(line string) string { return line[:9] + "\n" + line[9:] },
	} {
		path, part := interrupted(t)
		lines := strings.SplitAfter(part, "\n")
		lines[5] = corrupt(lines[5])
		if err := os.WriteFile(path+".part", []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if kept, warning := readStored(t, path, 10); !strings.HasSuffix(warning, ": rows of damaged lines are rescored") || kept != 9 {
			t.Errorf("%s: got %d rows kept and warning %q, want 9 rows", name, kept, warning)
		}
		if _, err := score(t, path, rowsOf(30), newJudge(), testSettings, true, 0); err != nil || readFile(t, path) != want {
			t.Errorf("%s: got error %v, or results that differ from an uninterrupted run", name, err)
		}
	}
}

// However a .part file is damaged, resuming from it either fails without a change or yields the
// results of an uninterrupted run, even if the process is killed again.
func TestDamagedResultsNeverChangeRows(t *testing.T) {
	const rows = 30
	want := uninterruptedResults(t, rows)
	lines := strings.SplitAfter(want, "\n")
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 7))
		path, _ := interrupted(t)
		damaged := slices.Clone(lines[:5+random.IntN(rows-5)])
		for range 1 + random.IntN(4) {
			i := random.IntN(len(damaged))
			switch at := random.IntN(len(damaged[i])); random.IntN(5) {
			case 0:
				damaged[i] = damaged[i][:at] + "\x00" + damaged[i][at:]
			case 1: // joined with the next line
				damaged[i] = damaged[i][:at]
			case 2:
				damaged[i] = damaged[i][:at] + "\n" + damaged[i][at:]
			case 3:
				damaged[i] = lines[random.IntN(len(lines)-1)]
			case 4:
				damaged[i] = strings.Replace(damaged[i], `"index":`, `"index":1`, 1)
			}
		}
		content := strings.Join(damaged, "")
		if err := os.WriteFile(path+".part", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		kill := 1 + random.Int64N(int64(len(want)))
		_, err := score(t, path, rowsOf(rows), newJudge(), testSettings, true, kill)
		if errors.Is(err, errKilled) {
			_, err = score(t, path, rowsOf(rows), newJudge(), testSettings, true, 0)
		}
		var changed *ChangedError
		switch {
		case errors.As(err, &changed):
			if strings.Count(readFile(t, path+".part"), "\n") < strings.Count(content, "\n") {
				t.Errorf("seed %d: %v, but rows are lost", seed, err)
			}
		case err != nil || readFile(t, path) != want:
			t.Errorf("seed %d: got error %v, or results that differ from an uninterrupted run", seed, err)
		}
	}
}

func TestSecondRunOnSameFileIsRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	j, err := Open(path, testSettings, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		_, err = Open(path, testSettings, resume)
		if _, ok := errors.AsType[*safefile.LockedError](err); !ok {
			t.Errorf("got %v, want a LockedError", err)
		}
	}
	if _, err := j.Abandon(false); err != nil {
		t.Error(err)
	}
	if names := namesIn(t, path); names != "" {
		t.Errorf("got files %s, want none", names)
	}
}
