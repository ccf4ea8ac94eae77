package resultfile

import (
	"errors"
	"fmt"
	"io/fs"
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
