package result

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

// A Setting is an option that affects results. It is stored in plain text beside them, so
// it must not be an API key.
type Setting struct {
	Name  string `json:"name"` // such as --threshold
	Value string `json:"value"`
}

// SelectsRows reports whether s is a condition or a sample.
func (s Setting) SelectsRows() bool {
	return strings.HasPrefix(s.Name, "--where") || s.Name == "--sample" && s.Value != "0"
}

// Settings are the settings of a run in display order. They are encoded as a JSON
// object, while a []Setting is encoded as an array.
type Settings []Setting

// Get returns the value of a setting, or "" if it is not set.
func (l Settings) Get(name string) string {
	if i := slices.IndexFunc(l, func(s Setting) bool { return s.Name == name }); i >= 0 {
		return l[i].Value
	}
	return ""
}

// String lists the settings on one line.
func (l Settings) String() string {
	texts := make([]string, len(l))
	for i, s := range l {
		texts[i] = s.Name + " " + DisplayValue(s.Value)
	}
	return strings.Join(texts, ", ")
}

// A SettingChange is a difference between the settings of two runs. Its values are formatted
// for messages: "not set" for a missing setting and "empty" for "".
type SettingChange struct{ Name, Old, New string }

// Changes returns the differences from the previous settings: settings of l in order,
// followed by those that are no longer set.
func (l Settings) Changes(previous Settings) []SettingChange {
	var changes []SettingChange
	old := make(map[string]string, len(previous))
	for _, s := range previous {
		old[s.Name] = s.Value
	}
	for _, s := range l {
		value, ok := old[s.Name]
		delete(old, s.Name)
		if !ok {
			changes = append(changes, SettingChange{s.Name, "not set", DisplayValue(s.Value)})
		} else if value != s.Value {
			changes = append(changes, SettingChange{s.Name, DisplayValue(value), DisplayValue(s.Value)})
		}
	}
	for _, s := range previous {
		if value, removed := old[s.Name]; removed {
			changes = append(changes, SettingChange{s.Name, DisplayValue(value), "not set"})
		}
	}
	return changes
}

// DisplayValue returns the value of a setting as text for messages.
func DisplayValue(value string) string { return cmp.Or(value, "empty") }

// MarshalJSON returns an object.
func (l Settings) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = dataset.AppendText(b, l[i].Name)
		b = dataset.AppendText(append(b, ':'), l[i].Value)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object of strings and keeps its order.
func (l *Settings) UnmarshalJSON(text []byte) error {
	*l = nil
	for _, m := range members(text) {
		value, isString := PlainText(m.Value)
		if !isString {
			return errors.New(m.Name + ": want a string")
		}
		*l = append(*l, Setting{m.Name, value})
	}
	return nil
}

// An Effect describes what a changed setting affects.
type Effect int

// The effects.
const (
	JudgeEffect    Effect = iota // judge scores, which are no longer comparable
	PlatformEffect               // judge scores, but only slightly
	ScoringEffect                // how results are computed from judge scores
	RowsEffect                   // the rows and columns that are read
)

// EffectOf returns the effect of a stored setting. Settings that are not listed, for example
// of a later version, are assumed to affect the judge, so that they are never ignored.
func EffectOf(name string) Effect {
	switch strings.TrimRight(name, " 0123456789") { // without the number of a repeated flag
	case "--input-format", "--delimiter", "--from", "--limit", "--sample", "--seed", "--shard", "--max-row-bytes",
		"dataset", "--map", "--turns", "--where", "--keep", "--keep-as":
		return RowsEffect
	case "result format", "--threshold", "--no-claims", "--empty-contexts", "--calibration", "--audit", "rounded":
		return ScoringEffect
	case "--lang", "--base-url", "--device", "kernels", "--model-batch-size":
		return PlatformEffect
	}
	return JudgeEffect
}
