package dataset

import (
	"fmt"
	"strconv"
	"testing"
)

func TestIDsAreCheckedUpToALimit(t *testing.T) {
	s := newIDSet()
	var got []string
	for i := range maxIDs + 2 {
		if err := s.check(&Row{ID: strconv.Itoa(i), File: "x", Line: i}, false); err != nil {
			got = append(got, err.Error())
		}
	}
	if want := fmt.Sprintf("[x:%d: %d ids so far: later ones are not checked for duplicates]", maxIDs, maxIDs); fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
