package dataset

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestDuplicateIDsAreReportedUpToALimit(t *testing.T) {
	s := newIDSet()
	var got []string
	for i := range maxIDs + 2 {
		if err := s.check(&Row{ID: strconv.Itoa(i), File: "x", Line: i}); err != nil {
			got = append(got, err.Error())
		}
	}
	for range maxDuplicates + 1 {
		if err := s.check(&Row{ID: "0", File: "x", Line: 7}); err != nil {
			got = append(got, err.Error())
		}
	}
	want := fmt.Sprintf("[x:%d: %d ids so far: later ones are not checked for duplicates", maxIDs, maxIDs)
	want += strings.Repeat(` x:7: duplicate id "0"`, maxDuplicates) + "]"
	if fmt.Sprint(got) != want || s.summary() == nil {
		t.Errorf("got %v and summary %v, want %s", got, s.summary(), want)
	}
}
