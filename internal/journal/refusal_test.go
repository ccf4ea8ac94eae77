package journal

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// interrupted is a folder with what a run of 30 rows left after about half of
// them.
func interrupted(t *testing.T) (path, part string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "out.jsonl")
	size := int64(len(undisturbed(t, 30)))
	if _, err := score(t, path, rowsOf(30), newJudge(), half, false, size/2); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return path, contentOf(t, path+".part")
}

func TestChangedDatasetIsRejected(t *testing.T) {
	path, part := interrupted(t)
	change := func(index int, change func(*dataset.Row, *error)) iter.Seq2[dataset.Row, error] {
		return altered(rowsOf(30), index, change)
	}
	for _, tt := range []struct {
		rows iter.Seq2[dataset.Row, error]
		want string
	}{
		{change(3, func(r *dataset.Row, _ *error) { r.ID = "other" }), "row 3 (f.jsonl:4): id is not the same"},
		{change(0, func(r *dataset.Row, _ *error) { r.Question = "other" }), "row 0 (f.jsonl:1): question is not the same"},
		{change(5, func(r *dataset.Row, _ *error) { r.Answer += "." }), "row 5 (f.jsonl:6): answer is not the same"},
		{change(5, func(r *dataset.Row, _ *error) { r.Contexts = []string{"d", "c"} }), "row 5 (f.jsonl:6): contexts are not the same"},
		{change(5, func(r *dataset.Row, _ *error) { r.Index = 6 }), "row 6 (f.jsonl:6): index was 5, is 6"},
		{change(5, func(r *dataset.Row, _ *error) { r.Kept[0].Value = []byte("2") }), `row 5 (f.jsonl:6): column "n" is not the same`},
		{change(5, func(r *dataset.Row, _ *error) { r.Kept[0].Name = "m" }), `row 5 (f.jsonl:6): column "m" was "n"`},
		{change(5, func(r *dataset.Row, _ *error) { r.Kept = nil }), "row 5 (f.jsonl:6): it has 0 kept columns, and had 1"},
		{change(7, func(_ *dataset.Row, err *error) { *err = nil }), "row 7 (f.jsonl:8): it could not be read before, and can be now"},
		{change(7, func(_ *dataset.Row, err *error) { *err = &dataset.RowError{File: "f", Line: 8, Err: errors.New("x")} }), "row 7 (f.jsonl:8): it cannot be read for another reason: f:8: x"},
		{change(6, func(_ *dataset.Row, err *error) { *err = &dataset.RowError{File: "f", Line: 7, Err: errors.New("x")} }), "row 6 (f.jsonl:7): it can no longer be read: f:7: x"},
		{rowsOf(2), "row 2 is no longer in the dataset"},
	} {
		_, err := score(t, path, tt.rows, newJudge(), half, true, 0)
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.What != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
		if got := contentOf(t, path+".part"); got != part {
			t.Fatalf("%s: .part has changed", tt.want)
		}
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), half, true, 0); err != nil {
		t.Error(err)
	}
}

func TestDifferentSettingsAreRejected(t *testing.T) {
	path, part := interrupted(t)
	for _, tt := range []struct {
		settings Settings
		want     string
	}{
		{Settings{{"--threshold", "0.6"}, {"--judge", "fake"}}, "--threshold was 0.5, is 0.6"},
		{Settings{{"--threshold", "0.6"}, {"--judge", ""}}, "--threshold was 0.5, is 0.6; --judge was fake, is empty"},
		{Settings{{"--judge", "fake"}, {"--model", "m"}}, "--model was not set, is m; --threshold was 0.5, is not set"},
	} {
		_, err := score(t, path, rowsOf(30), newJudge(), tt.settings, true, 0)
		var changed *SettingsError
		if !errors.As(err, &changed) || strings.Join(changed.Changes, "; ") != tt.want {
			t.Errorf("%v", err)
		}
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), Settings{half[1], half[0]}, true, 1); !errors.Is(err, errKilled) {
		t.Error(err)
	}
	if got := contentOf(t, path+".part"); got != part {
		t.Error(".part has changed")
	}
}

func TestMissingSettingsAreRejected(t *testing.T) {
	path, _ := interrupted(t)
	settings := path + ".part.settings"
	for _, content := range []string{"", "{", "{}", "null"} {
		if err := os.WriteFile(settings, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, half, true); err == nil || !strings.Contains(err.Error(), "does not hold the settings of its run") {
			t.Error(err)
		}
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, half, true); err == nil || !strings.Contains(err.Error(), "are missing; remove it to start over") {
		t.Error(err)
	}
}

func TestOpenDoesNotOverwriteResults(t *testing.T) {
	path, part := interrupted(t)
	_, err := Open(path, half, false)
	var unfinished *UnfinishedError
	if !errors.As(err, &unfinished) || unfinished.Part != path+".part" {
		t.Fatal(err)
	}
	if got := contentOf(t, path+".part"); got != part {
		t.Error(".part has changed")
	}
	if names := namesIn(t, path); names != "out.jsonl.part out.jsonl.part.settings" {
		t.Error(names)
	}
	// Less than a row is nothing.
	if err := os.WriteFile(path+".part", []byte(part[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := score(t, path, rowsOf(30), newJudge(), half, false, 0); err != nil {
		t.Error(err)
	}
}

func TestInvalidLineEndsStoredResults(t *testing.T) {
	want := undisturbed(t, 30)
	for name, spoil := range map[string]func(line string) string{
		"other spaces": func(line string) string { return strings.Replace(line, ":", ": ", 1) },
		"no JSON":      func(string) string { return "x\n" },
		"zeroes":       func(line string) string { return strings.Repeat("\x00", len(line)-1) + "\n" },
		"half a row":   func(line string) string { return line[:len(line)/2] + "\n" },
		"a field of a later": func(line string) string {
			return strings.Replace(line, `"cached_requests":0`, `"cached_requests":0,"x":1`, 1)
		},
	} {
		path, part := interrupted(t)
		lines := strings.SplitAfter(part, "\n")
		lines[5] = spoil(lines[5])
		if err := os.WriteFile(path+".part", []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, half, true)
		if err != nil {
			t.Fatal(err)
		}
		var warned error
		j.Stored().Warn = func(err error) { warned = err }
		for row, err := range rowsOf(10) {
			if _, err := j.Stored().Next(&row, err); err != nil {
				t.Error(err)
			}
		}
		if warned == nil || !strings.Contains(warned.Error(), "this row and those after it are judged again") || j.Stored().Kept() != 5 {
			t.Errorf("%s: %d kept, %v", name, j.Stored().Kept(), warned)
		}
		if _, err := j.Abandon(true); err != nil {
			t.Error(err)
		}
		if _, err := score(t, path, rowsOf(30), newJudge(), half, true, 0); err != nil || contentOf(t, path) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSecondRunOnSameFileIsRejected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	j, err := Open(path, half, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		_, err = Open(path, half, resume)
		var busy *safefile.LockedError
		if !errors.As(err, &busy) || busy.PID != os.Getpid() {
			t.Errorf("%v", err)
		}
	}
	if _, err := j.Abandon(false); err != nil {
		t.Error(err)
	}
	if names := namesIn(t, path); names != "" {
		t.Error(names)
	}
	// What a killed process leaves locks nothing.
	if err := os.WriteFile(path+".part.lock", []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := score(t, path, rowsOf(3), newJudge(), half, false, 0); err != nil {
		t.Error(err)
	}
}

func TestDeviceCannotBeResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skipf("this system makes no symbolic link: %v", err)
	}
	if _, err := Open(path, half, true); !errors.Is(err, ErrNotAFile) {
		t.Error(err)
	}
	if _, err := score(t, path, rowsOf(3), newJudge(), half, false, 0); err != nil {
		t.Error(err)
	}
	if names := namesIn(t, path); names != "out.jsonl" {
		t.Error(names)
	}
}
