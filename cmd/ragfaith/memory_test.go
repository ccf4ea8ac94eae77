package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryOfScoreDoesNotGrowWithRows scores rows of which each has words of its own,
// and compares the memory in use after some of them and after all.
func TestMemoryOfScoreDoesNotGrowWithRows(t *testing.T) {
	skipShort(t)
	const early, late, maxGrowth = 500, 4500, 64 // bytes per row
	rows := &rowSource{random: rand.New(rand.NewPCG(1, 1)), pauses: []int{early, late}, written: make(chan struct{}, late)}
	var errs bytes.Buffer
	code := run(t.Context(), []string{"score", "-", "--judge", "lexical", "--to", "jsonl", "--concurrency", "1", "--no-progress"}, rows, lineWriter(rows.written), &errs, emptySystem())
	if code != exitOK || len(rows.inUse) != 2 {
		t.Fatalf("got exit code %d and %d measurements, want %d and 2: %s", code, len(rows.inUse), exitOK, errs.String())
	}
	growth := float64(rows.inUse[1]-rows.inUse[0]) / (late - early)
	t.Logf("%d KiB in use after %d rows, %+.0f bytes per row", rows.inUse[1]>>10, late, growth)
	if growth > maxGrowth {
		t.Errorf("got %.0f bytes of growth per row, want at most %d", growth, maxGrowth)
	}
}

// A rowSource is a JSONL file of rows with random names and numbers. It pauses after some
// rows until the results of all of them are written, and measures the memory in use.
type rowSource struct {
	random  *rand.Rand
	pauses  []int         // numbers of rows; the file ends at the last one
	written chan struct{} // a value for each result
	inUse   []int64       // bytes, for each pause that is over

	next, results int
	line          []byte
}

// A lineWriter sends a value for each line, which must not block.
type lineWriter chan<- struct{}

func (w lineWriter) Write(p []byte) (int, error) {
	for range bytes.Count(p, []byte("\n")) {
		w <- struct{}{}
	}
	return len(p), nil
}

// Read returns at most one row, so that no later row is read during a pause.
func (s *rowSource) Read(p []byte) (int, error) {
	if len(s.line) == 0 {
		if len(s.inUse) < len(s.pauses) && s.next == s.pauses[len(s.inUse)] {
			s.measure()
		}
		if len(s.inUse) == len(s.pauses) {
			return 0, io.EOF
		}
		line, err := json.Marshal(s.row())
		if err != nil {
			return 0, err
		}
		s.next, s.line = s.next+1, append(line, '\n')
	}
	n := copy(p, s.line)
	s.line = s.line[n:]
	return n, nil
}

func (s *rowSource) measure() {
	for s.results < s.next {
		<-s.written
		s.results++
	}
	runtime.GC() // moves pooled memory to where the next collection frees it
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.inUse = append(s.inUse, int64(m.HeapAlloc))
}

func (s *rowSource) row() map[string]any {
	a, b, c, n := s.name(), s.name(), s.name(), 2+s.random.IntN(1_000_000)
	contexts := []string{
		fmt.Sprintf("The %s hired %d people in %s. %s does not cover the costs of %s, but %s was founded by %s.", a, n, b, c, a, b, c),
		fmt.Sprintf("Plans of %s:\n- %s: $%d\n- %s: $%d", a, b, n, c, 2*n),
	}
	answers := []string{
		fmt.Sprintf("The %s hired %d people in %s.", a, n, b),
		fmt.Sprintf("%s covers the costs of %s, and %s founded %s.", c, a, b, c),
		fmt.Sprintf("%s and %s cost $%d in total.", b, c, 3*n+s.random.IntN(2)),
		fmt.Sprintf("%s was closed by %s.", s.name(), b),
	}
	return map[string]any{"question": "What is known of " + a + "?", "answer": strings.Join(answers, " "), "contexts": contexts}
}

func (s *rowSource) name() string {
	name := []byte{byte('A' + s.random.IntN(26))}
	for range 6 {
		name = append(name, byte('a'+s.random.IntN(26)))
	}
	return string(name)
}
