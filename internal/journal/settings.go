package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// mostSettings is more than the settings of a run with a thousand datasets take.
const mostSettings = 64 << 20

// A Setting is something that decides what the results are. It is stored beside
// them for everyone to read who reads them: a key can never be one.
type Setting struct {
	Name  string `json:"name"` // as a person knows it, such as --threshold
	Value string `json:"value"`
}

// Settings are all that decides what the results are, beside the rows
// themselves, in the order in which a person is told of them.
type Settings []Setting

// A SettingsError says that results came about with other settings.
type SettingsError struct {
	Part    string
	Changes []string // such as "--threshold was 0.5, is 0.6"
}

// Error names all differences.
func (e *SettingsError) Error() string {
	return e.Part + " can't be gone on with, its settings were others: " + strings.Join(e.Changes, "; ")
}

// Changes names what differs from the settings that there were, as
// "--threshold was 0.5, is 0.6".
func (s Settings) Changes(was Settings) []string {
	var changes []string
	before := make(map[string]string, len(was))
	for _, w := range was {
		before[w.Name] = w.Value
	}
	for _, is := range s {
		old, ok := before[is.Name]
		delete(before, is.Name)
		switch {
		case !ok:
			changes = append(changes, fmt.Sprintf("%s was not set, is %s", is.Name, shown(is.Value)))
		case old != is.Value:
			changes = append(changes, fmt.Sprintf("%s was %s, is %s", is.Name, shown(old), shown(is.Value)))
		}
	}
	for _, w := range was {
		if _, gone := before[w.Name]; gone {
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

// get returns the value of a setting, "" if there is none of that name.
func (s Settings) get(name string) string {
	for i := range s {
		if s[i].Name == name {
			return s[i].Value
		}
	}
	return ""
}

// storedSettings is the content of a file of settings.
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

// checkSettings holds settings against those in a file.
func checkSettings(path string, settings Settings) error {
	part := strings.TrimSuffix(path, settingsSuffix)
	content, err := safefile.ReadFile(path, mostSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s can't be gone on with: the settings of its run, %s, are not there; to start over, remove it", part, path)
	}
	if err != nil {
		return err
	}
	var was storedSettings
	if err := json.Unmarshal(content, &was); err != nil || len(was.Settings) == 0 {
		return fmt.Errorf("%s can't be gone on with: %s does not hold the settings of its run; to start over, remove both", part, path)
	}
	if changes := settings.Changes(was.Settings); len(changes) > 0 {
		return &SettingsError{Part: part, Changes: changes}
	}
	return nil
}
