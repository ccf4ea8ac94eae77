package console

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

func TestFailureLogPrintsFileAndLine(t *testing.T) {
	var b bytes.Buffer
	f := NewFailureLog(New(&b, report.Palette{}), -1, true)
	for _, r := range []*result.Row{
		{File: "rows.jsonl", Line: 3, Status: result.Scored},
		{File: "rows.jsonl", Line: 3, Status: result.Failed, Reason: "read", Err: &dataset.RowError{File: "rows.jsonl", Line: 3, Err: errors.New("bad \x1b[31m")}},
		{File: "rows.jsonl", Line: 3, Status: result.Failed, Reason: "verdict", Err: &eval.StageError{Stage: "verdict", Err: &eval.PanicError{Value: "oops", Stack: []byte("stack")}}},
	} {
		if err := f.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	want := "ragfaith: rows.jsonl:3: bad \\x1b[31m\nragfaith: rows.jsonl:3: verdict: panic: oops\nstack\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("output (-want +got):\n%s", d)
	}
}

func TestJoinedErrorsAreSeparateMessages(t *testing.T) {
	var b bytes.Buffer
	New(&b, report.Palette{}).Error(errors.Join(errors.New("a.csv: full"), errors.New("b.csv: full")))
	if want := "ragfaith: a.csv: full\nragfaith: b.csv: full\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
