package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// maxSettings is more than a run with a thousand datasets needs.
const maxSettings = 64 << 20

// A SettingsError reports that a run cannot be resumed with other settings.
type SettingsError struct {
	Part    string
	Changes []setting.Change
}

// Error lists all differences.
func (e *SettingsError) Error() string {
	changes := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		changes[i] = fmt.Sprintf("%s was %s, is %s", c.Name, c.Was, c.Is)
	}
	return "cannot resume " + e.Part + " with different settings: " + strings.Join(changes, "; ")
}

// storedSettings is the content of a settings file.
type storedSettings struct {
	Settings []setting.Setting `json:"settings"`
}

// writeSettings stores the settings durably.
func writeSettings(path string, settings setting.List) error {
	content, err := json.MarshalIndent(storedSettings{settings}, "", " ")
	if err != nil {
		return err
	}
	return safefile.WriteFile(path, append(content, '\n'), 0o600)
}

// checkSettings compares settings with the stored ones of part.
func checkSettings(part string, settings setting.List) error {
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
