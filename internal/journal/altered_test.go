package journal

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// raise turns a line of a row that scored 0 into one that scored 1, and says
// nothing of the verdict.
func raise(t *testing.T, line string) string {
	t.Helper()
	edited := strings.Replace(line, `"faithfulness":0.0`, `"faithfulness":1.0`, 1)
	if edited == line {
		t.Fatalf("it did not score 0: %s", line)
	}
	return edited
}

func TestEditedRowsAreJudgedAgain(t *testing.T) {
	const rows = 30
	want := undisturbed(t, rows)
	lines := strings.SplitAfter(want, "\n")
	var zeros []int // rows that scored 0
	for i, line := range lines {
		if strings.Contains(line, `"faithfulness":0.0`) {
			zeros = append(zeros, i)
		}
	}
	for kill := int64(0); kill < int64(len(want)); kill += 997 {
		path, _ := interrupted(t)
		edited := append([]string{}, lines[:rows-1]...)
		for _, i := range zeros[:2] {
			edited[i] = raise(t, edited[i])
		}
		if err := os.WriteFile(path+".part", []byte(strings.Join(edited, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if kill > 0 { // a run that resumes is killed as well
			if _, err := score(t, path, rowsOf(rows), newJudge(), half, true, kill); !errors.Is(err, errKilled) {
				t.Fatalf("killed at %d: %v", kill, err)
			}
		}
		j, err := Open(path, half, true)
		if err != nil {
			t.Fatal(err)
		}
		warned := ""
		j.Stored().Warn = func(err error) { warned += err.Error() }
		seen := 0
		for row, err := range rowsOf(rows) {
			r, err := j.Stored().Next(&row, err)
			if err != nil {
				t.Error(err)
			}
			if r != nil {
				seen++
			}
		}
		if kill == 0 {
			if want := path + ".part: rows with fields that contradict each other are judged again: 2, the first at line "; !strings.HasPrefix(warned, want) || !strings.HasSuffix(warned, ": faithfulness: got 1, want 0 (0 of 1 claims supported)") {
				t.Errorf("got %s, want %s", warned, want)
			}
		}
		if seen < rows-1-2 {
			t.Errorf("killed at %d: %d rows are kept, want %d or more", kill, seen, rows-1-2)
		}
		if _, err := j.Abandon(true); err != nil {
			t.Error(err)
		}
		if _, err := score(t, path, rowsOf(rows), newJudge(), half, true, 0); err != nil || contentOf(t, path) != want {
			t.Errorf("killed at %d: %v, or the results are not those of an undisturbed run", kill, err)
		}
	}
}
