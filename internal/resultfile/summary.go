package resultfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxSummaryBytes is the longest summary that is read; they have some kilobytes.
const maxSummaryBytes = 16 << 20

// ReadSummary reads a file that score --summary has written.
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

// SummaryPath is where the summary of the run that wrote the results is looked
// for: NAME.summary.json beside NAME.jsonl or NAME.csv.gz.
func SummaryPath(path string) string {
	folder, name := filepath.Split(path)
	for _, ext := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return folder + strings.TrimSuffix(name, filepath.Ext(name)) + ".summary.json"
}

// SummaryBeside reads the summary at [SummaryPath], nil where there is no such
// file.
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
