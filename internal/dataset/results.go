package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// unreadable returns the error of a row of ragfaith's own results that could not be read in
// the dataset, or nil. Its empty answer or contexts are placeholders; a row with both has been
// corrected.
func unreadable(row *Row, outcome [3]string) error {
	if outcome[0] != "failed" || outcome[1] != "read" || outcome[2] == "" || row.Answer != "" && len(row.Contexts) > 0 {
		return nil
	}
	const before = "failed in an earlier run: "
	text := outcome[2]
	if i := strings.LastIndex(text, before); i >= 0 {
		text = text[i+len(before):]
	}
	return errors.New(before + text)
}

// unreadableObject is unreadable of a JSON object.
func unreadableObject(row *Row, raw []byte) error {
	if !bytes.Contains(raw, []byte(`"failed"`)) {
		return nil
	}
	var o struct{ Status, Reason, Error string }
	if json.Unmarshal(raw, &o) != nil {
		return nil //nolint:nilerr // the members have other types, or the caller reports the damage
	}
	return unreadable(row, [3]string{o.Status, o.Reason, o.Error})
}

// outcome returns the indexes of the columns of a table of results that say why a row failed, or
// nil if one is missing.
func (m *columnMap) outcome(names []string) []int {
	var at []int
	for _, name := range []string{"status", "reason", "error"} {
		i := slices.Index(names, name)
		if i < 0 || m.raw {
			return nil
		}
		at = append(at, i)
	}
	return at
}
