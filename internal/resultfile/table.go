package resultfile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A tableRow converts the columns of a table to the JSON object of a result.
type tableRow struct {
	cells bool            // cells are text, as in CSV, and not typed, as in Parquet
	texts map[string]bool // columns of Parquet that hold JSON as text
	buf   []byte
}

// newTableRow checks that the table has the columns of results.
func newTableRow(records *dataset.Records) (tableRow, error) {
	columns := []string{"index", "id", "question", "answer", "contexts", "faithfulness", "support", "status", "reason", "claims", "error"}
	if missing := missingFrom(columns, records.Names()); len(missing) > 0 {
		return tableRow{}, fmt.Errorf("not a result file of ragfaith score: missing column %s", strings.Join(missing, ", "))
	}
	a := tableRow{cells: records.Format() != dataset.Parquet, texts: make(map[string]bool)}
	if list := records.Metadata(result.JSONColumnsKey); list != "" {
		var names []string
		if err := json.Unmarshal([]byte(list), &names); err != nil {
			return tableRow{}, fmt.Errorf("%s in the metadata: %w", result.JSONColumnsKey, err)
		}
		for _, name := range names {
			a.texts[name] = true
		}
	}
	return a, nil
}

// object returns the columns as a JSON object, which is valid until the next call.
func (a *tableRow) object(columns []dataset.Column) ([]byte, error) {
	b := append(a.buf[:0], '{')
	for i := range columns {
		name, value := columns[i].Name, columns[i].Value
		if name == "n_claims" || name == "n_supported" {
			continue // they follow from the claims
		}
		if a.cells {
			value = cell(name, value)
			name = result.UnescapeFormula(name)
		} else if a.texts[name] {
			text, _ := result.PlainText(value)
			value = []byte(text)
		}
		if len(value) == 0 {
			value = []byte("null")
		}
		if a.cells || a.texts[name] {
			if !jsontext.Value(value).IsValid(jsontext.AllowDuplicateNames(true)) {
				return nil, fmt.Errorf("%s: invalid JSON", name)
			}
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = dataset.AppendText(b, name)
		b = append(append(b, ':'), value...)
	}
	a.buf = append(b, '}')
	return a.buf, nil
}

// cell returns the JSON value of a cell of CSV or TSV.
func cell(name string, value []byte) []byte {
	text, isText := result.PlainText(value)
	switch name {
	case "contexts", "claims", "index", "faithfulness", "support", "confidence", "unjudged_share", "citation_recall", "citation_precision":
		return []byte(text) // JSON, or "" for null
	case "unresolved_citations":
		return []byte(strings.TrimSuffix(text, ".0")) // pandas writes integers with gaps so
	case "reason", "error":
		if text == "" {
			return nil
		}
	case "id", "question", "answer", "status":
	default:
		if !isText {
			return value
		}
	}
	return dataset.AppendText(nil, result.UnescapeFormula(text))
}
