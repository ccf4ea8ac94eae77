package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxSettings is more than a run with a thousand datasets needs.
const maxSettings = 64 << 20

// A Setting is an option that affects results. It is stored in plain text beside them, so
// it must not be an API key.
type Setting struct {
	Name  string `json:"name"` // such as --threshold
	Value string `json:"value"`
}

// Settings are all options that affect results, in the order in which messages list them.
type Settings []Setting

// A SettingsError reports that a run cannot be resumed with other settings.
type SettingsError struct {
	Part    string
	Changes []string // such as "--threshold was 0.5, is 0.6"
}

// Error lists all differences.
func (e *SettingsError) Error() string {
	return "cannot resume " + e.Part + " with different settings: " + strings.Join(e.Changes, "; ")
}

// Changes lists the differences from the previous settings, such as
// "--threshold was 0.5, is 0.6".
func (s Settings) Changes(previous Settings) []string {
	var changes []string
	old := make(map[string]string, len(previous))
	for _, w := range previous {
		old[w.Name] = w.Value
	}
	for _, is := range s {
		value, ok := old[is.Name]
		delete(old, is.Name)
		switch {
		case !ok:
			changes = append(changes, fmt.Sprintf("%s was not set, is %s", is.Name, shown(is.Value)))
		case value != is.Value:
			changes = append(changes, fmt.Sprintf("%s was %s, is %s", is.Name, shown(value), shown(is.Value)))
		}
	}
	for _, w := range previous {
		if _, removed := old[w.Name]; removed {
			changes = append(changes, fmt.Sprintf("%s was %s, is not set", w.Name, shown(w.Value)))
		}
	}
	return changes
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	return value
}

// get returns the value of a setting, or "" if there is none of that name.
func (s Settings) get(name string) string {
	for i := range s {
		if s[i].Name == name {
			return s[i].Value
		}
	}
	return ""
}

// storedSettings is the content of a settings file.
type storedSettings struct {
	Settings Settings `json:"settings"`
}

// write stores the settings durably.
func (s Settings) write(path string) error {
	content, err := json.MarshalIndent(storedSettings{s}, "", " ")
	if err != nil {
		return err
	}
	return safefile.WriteFile(path, append(content, '\n'), 0o600)
}

// checkSettings compares settings with the stored ones of part.
func checkSettings(part string, settings Settings) error {
	path := part + settingsSuffix
	content, err := safefile.ReadFile(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot resume %s: the settings of its run, %s, are missing; remove it to start over", part, path)
	}
	if err != nil {
		return err
	}
	var was storedSettings
	if err := json.Unmarshal(content, &was); err != nil || len(was.Settings) == 0 {
		return fmt.Errorf("cannot resume %s: %s does not hold the settings of its run; remove both to start over", part, path)
	}
	if changes := settings.Changes(was.Settings); len(changes) > 0 {
		return &SettingsError{Part: part, Changes: changes}
	}
	return nil
}
