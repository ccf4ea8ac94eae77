package eval

import (
	"errors"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// The marks of a row are those of its stages, sorted, and results can be read back. A
// failed row has none.
func TestMarksOfStages(t *testing.T) {
	for name, tt := range map[string]struct {
		judge []string
		err   error
		want  []result.Mark
	}{
		"both stages":    {judge: []string{verdict.MarkGrouped, verdict.MarkOneWord}, want: []result.Mark{result.Downgraded, result.Grouped, result.OneWord}},
		"extractor only": {want: []result.Mark{result.Downgraded}},
		"failed":         {judge: []string{verdict.MarkGrouped}, err: errors.New("no")},
	} {
		s := newStages()
		s.extraction.Downgraded, s.judgement.Marks, s.err = true, tt.judge, tt.err
		r := collect(t, &Pipeline{Extractor: s, Judge: s}, one(dataset.Row{Answer: "sun", Contexts: []string{"sun"}}, nil))[0]
		stored, err := result.NewDecoder(nil).Decode(r.AppendJSON(nil))
		if err != nil || !slices.Equal(stored.Marks, tt.want) || !slices.Equal(r.Marks, tt.want) {
			t.Errorf("%s: got %v, stored %v, error %v, want %v", name, r.Marks, stored, err, tt.want)
		}
	}
}
