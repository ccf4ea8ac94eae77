package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestAddMarksSortsAndDeduplicates(t *testing.T) {
	got := verdict.AddMarks(nil, "c", "a", "c")
	if d := cmp.Diff([]string{"a", "b", "c"}, verdict.AddMarks(got, "b", "a")); d != "" {
		t.Error(d)
	}
}
