package result_test

import (
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestInvalidMarksAreRejected(t *testing.T) {
	r := resulttest.NoClaims()
	r.Marks = []result.Mark{result.Downgraded, result.Grouped}
	line := string(r.AppendJSON(nil))
	for marks, want := range map[string]string{
		`["downgraded","grouped"]`:    "",
		`[]`:                          "",
		`null`:                        "",
		`["grouped","downgraded"]`:    "marks: not sorted, or with duplicates",
		`["downgraded","downgraded"]`: "marks: not sorted, or with duplicates",
		`["estimated_usage"]`:         `marks: unknown "estimated_usage"`,
		`["",""]`:                     `marks: unknown ""`,
		`"grouped"`:                   "marks: ",
		`[1]`:                         "marks: ",
	} {
		_, err := result.NewDecoder(nil).Decode([]byte(strings.Replace(line, `["downgraded","grouped"]`, marks, 1)))
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", marks, err, want)
		}
	}
}
