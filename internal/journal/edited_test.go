package journal

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestEditedRowsAreRescored(t *testing.T) {
	const rows, zero = 30, `"faithfulness":0.0`
	want := uninterruptedResults(t, rows)
	lines := strings.SplitAfter(want, "\n")
	var zeros []int // rows that scored 0
	for i, line := range lines {
		if strings.Contains(line, zero) {
			zeros = append(zeros, i)
		}
	}
	for kill := int64(0); kill < int64(len(want)); kill += 997 {
		path, _ := interrupted(t)
		edited := slices.Clone(lines[:rows-1])
		for _, i := range zeros[:2] {
			edited[i] = strings.Replace(edited[i], zero, `"faithfulness":1.0`, 1) // with the same verdicts
		}
		if err := os.WriteFile(path+".part", []byte(strings.Join(edited, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if kill > 0 { // kill the resumed run too
			if _, err := score(t, path, rowsOf(rows), newJudge(), testSettings, true, kill); !errors.Is(err, errKilled) {
				t.Fatalf("killed at byte %d: got %v, want %v", kill, err, errKilled)
			}
		}
		kept, warning := readStored(t, path, rows)
		if kill == 0 {
			if want := path + ".part: rows with contradictory fields are rescored: 2, the first at line "; !strings.HasPrefix(warning, want) || !strings.HasSuffix(warning, ": faithfulness: got 1, want 0 (0 of 1 claims supported)") {
				t.Errorf("got warning %q, want %q", warning, want)
			}
		}
		if kept < rows-1-2 {
			t.Errorf("killed at byte %d: got %d rows kept, want at least %d", kill, kept, rows-1-2)
		}
		if _, err := score(t, path, rowsOf(rows), newJudge(), testSettings, true, 0); err != nil || readFile(t, path) != want {
			t.Errorf("killed at byte %d: got error %v, or results that differ from an uninterrupted run", kill, err)
		}
	}
}
