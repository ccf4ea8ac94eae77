package output

import (
	"testing"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
)

func TestFailedRowsTakePrecedenceOverOtherGates(t *testing.T) {
	t.Parallel()
	failed, other := report.Gate{Name: report.GateMaxFailed}, report.Gate{Name: "--fail-under"}
	passed := report.Gate{Name: "--fail-under", Passed: true}
	for _, tt := range []struct {
		gates []report.Gate
		want  int
	}{
		{nil, exit.OK},
		{[]report.Gate{passed}, exit.OK},
		{[]report.Gate{passed, other}, exit.Gate},
		{[]report.Gate{other, failed}, exit.FailedRows},
		{[]report.Gate{failed, other}, exit.FailedRows},
	} {
		if got := ExitCode(tt.gates); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.gates, got, tt.want)
		}
	}
}
