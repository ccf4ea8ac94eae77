package calibrate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Label is the human label of a row.
type Label struct {
	Value float64 // 1 for faithful and 0 for unfaithful, or a rating; higher is more faithful
	Word  bool    // the label is a word such as yes
}

// ErrNoLabel reports that a row has no label.
var ErrNoLabel = errors.New("no label")

// ParseLabel parses a number or a word that means faithful or unfaithful, in any case. It
// returns ErrNoLabel for missing values (empty, null, NaN, none, NA).
func ParseLabel(text string) (Label, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	switch word {
	case "", "null", "none", "nan", "na", "n/a", "<na>":
		return Label{}, ErrNoLabel
	case "true", "yes", "y", "faithful", "supported", "grounded", "consistent", "pass":
		return Label{Value: 1, Word: true}, nil
	case "false", "no", "n", "unfaithful", "not faithful", "not_faithful", "unsupported", "not supported", "not_supported",
		"ungrounded", "inconsistent", "hallucinated", "hallucination", "fail":
		return Label{Value: 0, Word: true}, nil
	}
	// ParseFloat also accepts 0x1p-2 and 1_000.
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || strings.ContainsAny(word, "x_in") {
		return Label{}, fmt.Errorf("unknown label %s: want a number, true or false, yes or no, faithful or unfaithful", quoted(text))
	}
	return Label{Value: x}, nil
}

func quoted(text string) string {
	const maxLength = 40 // characters
	return `"` + report.Clip(text, maxLength) + `"`
}

// A Kind is a kind of labels.
type Kind string

// The kinds of labels.
const (
	Verdicts Kind = "verdicts" // faithful or unfaithful
	Ratings  Kind = "ratings"  // numbers on a scale
)

// Labels are the labels of a file by row id.
type Labels struct {
	path string
	byID map[string]*labelAt
}

type labelAt struct {
	label Label
	line  int
	used  bool
}

// ReadLabels reads the labels in a column of a file in any dataset format. It skips rows
// without a label. Errors name the file and the line.
func ReadLabels(path, column string, o dataset.Options) (*Labels, error) {
	records, err := dataset.OpenRecords(path, o)
	if err != nil {
		return nil, err
	}
	defer records.Close()
	l := &Labels{path: path, byID: make(map[string]*labelAt)}
	found := false
	for {
		record, err := records.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		had, err := l.read(&record, column)
		if err != nil {
			return nil, &dataset.RowError{File: path, Line: record.Line, Err: err}
		}
		found = found || had
	}
	if !found {
		return nil, fmt.Errorf("%s: no row has a column %q", path, column)
	}
	return l, nil
}

// read adds the label of a record and reports whether it has the column.
func (l *Labels) read(record *dataset.Record, column string) (bool, error) {
	value := func(name string) []byte {
		i := slices.IndexFunc(record.Columns, func(c dataset.Column) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		return record.Columns[i].Value
	}
	if record.Object != nil {
		members, err := record.Members()
		if err != nil {
			return false, err
		}
		value = func(name string) []byte { return members[name] }
	}
	content := value(column)
	if content == nil {
		return false, nil
	}
	text, _ := result.PlainText(content)
	label, err := ParseLabel(text)
	if errors.Is(err, ErrNoLabel) {
		return true, nil
	}
	if err != nil {
		return true, fmt.Errorf("%s: %w", column, err)
	}
	for _, name := range []string{"id", "sample_id", "_id"} {
		if id, _ := result.PlainText(value(name)); id != "" {
			return true, l.add(id, label, record.Line)
		}
	}
	return true, errors.New("label without an id")
}

// add adds a label. Repeating the same label is allowed.
func (l *Labels) add(id string, label Label, line int) error {
	if earlier := l.byID[id]; earlier != nil {
		if earlier.label != label {
			return fmt.Errorf("label of row %s differs from line %d", quoted(id), earlier.line)
		}
		return nil
	}
	l.byID[id] = &labelAt{label: label, line: line}
	return nil
}

// Lookup returns the label of the row with the given id, or nil if it has none. It returns an
// error if it is called twice for a labelled id, because the label is then ambiguous.
func (l *Labels) Lookup(id string) (*Label, error) {
	at := l.byID[id]
	if at == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	if at.used {
		return nil, fmt.Errorf("several rows have the id %s: the label in %s is ambiguous", quoted(id), l.path)
	}
	at.used = true
	return &at.label, nil
}

// Unused describes the labels that Lookup has not returned. It returns "" if there are none.
func (l *Labels) Unused() string {
	n, first := 0, ""
	for id, at := range l.byID {
		if at.used {
			continue
		}
		if n++; n == 1 || at.line < l.byID[first].line {
			first = id
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d labels match no row of the results; the first is that of %s", l.path, n, len(l.byID), quoted(first))
}
