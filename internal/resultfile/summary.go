package resultfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxSummaryBytes limits the size of a summary, far above that of any real one.
const maxSummaryBytes = 16 << 20

// ReadSummary reads a file written by score --summary.
func ReadSummary(path string) (*report.Summary, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxSummaryBytes {
		return nil, fmt.Errorf("%s: not a summary: it has %d bytes", path, info.Size())
	}
	s, err := report.ReadSummary(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// SummaryPath returns the path of the summary of a result file: NAME.summary.json beside
// NAME.jsonl or NAME.csv.gz.
func SummaryPath(path string) string {
	dir, name := filepath.Split(path)
	for _, ext := range dataset.Compressions() {
		name = strings.TrimSuffix(name, ext)
	}
	return dir + strings.TrimSuffix(name, filepath.Ext(name)) + ".summary.json"
}

// SummaryBeside reads the summary at [SummaryPath]. It returns nil if there is none.
func SummaryBeside(path string) (*report.Summary, error) {
	if path == "-" {
		return nil, nil //nolint:nilnil // as documented
	}
	s, err := ReadSummary(SummaryPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as documented
	}
	return s, err
}

// CheckSummary compares the rows of the file with s, the summary of its run, which was read
// from path. It must be called after the last row.
func (f *File) CheckSummary(s *report.Summary, path string) error {
	t := &f.tally
	if t.Rows != s.Rows.Total {
		return fmt.Errorf("%s: it contains %s, but its run had %d according to %s: it is truncated, or the summary belongs to another run",
			f.name(), report.Count(t.Rows, "row", "rows"), s.Rows.Total, path)
	}
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"scored rows", t.Scored, s.Rows.Scored},
		{"rows without claims", t.NoClaims, s.Rows.NoClaims},
		{"refusals", t.Refusal, s.Rows.Refusal},
		{"empty answers", t.Empty, s.Rows.Empty},
		{"unjudged rows", t.Unjudged, s.Rows.Unjudged},
		{"failed rows", t.Failed, s.Rows.Failed},
		{"skipped rows", t.Skipped, s.Rows.Skipped},
		{"rows with empty contexts", t.NoContexts, s.Rows.NoContexts},
		{"claims", t.Claims, s.Claims.Total},
		{"unjudged claims", t.UnjudgedClaims, s.Claims.Unjudged},
		{"supported claims", t.Supported, s.Claims.Supported},
		{"contradicted claims", t.Contradicted, s.Claims.Contradicted},
		{"verdicts with a confidence", t.Confident, s.Claims.Confident},
		{"scores", t.Faithfulness.Count(), s.Faithfulness.Count},
	} {
		if x.got != x.want {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	// A summary adds up the same numbers in a different order.
	const meanError = 1e-6
	for _, x := range []struct {
		name      string
		got, want float64 // got is NaN without rows
	}{
		{"mean faithfulness", t.Faithfulness.Mean(), s.Faithfulness.Mean},
		{"share of uncertain verdicts", t.UncertainShare(), s.Claims.UncertainShare},
	} {
		if !math.IsNaN(x.got) && !(math.Abs(x.got-x.want) <= meanError) {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	return nil
}

func (f *File) summaryError(name string, got, want any) error {
	return fmt.Errorf("%s: %s: got %v, want %v as in its summary: one of them was edited, or the summary belongs to another run",
		f.name(), name, got, want)
}
