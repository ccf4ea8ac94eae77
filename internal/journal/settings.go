package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxSettings limits the size of a settings file. A run with a thousand datasets needs less.
const maxSettings = 64 << 20

// A SettingsError reports that a run cannot be resumed with other settings.
type SettingsError struct {
	Part    string
	Changes []result.SettingChange
}

// Error lists all differences.
func (e *SettingsError) Error() string {
	changes := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		changes[i] = fmt.Sprintf("%s was %s, is %s", c.Name, c.Old, c.New)
	}
	return "cannot resume " + e.Part + " with different settings: " + strings.Join(changes, "; ")
}

// storedSettings is the content of a settings file.
type storedSettings struct {
	Settings []result.Setting `json:"settings"`
}

// readSettings returns the settings stored for part.
func readSettings(part string) (result.Settings, error) {
	path := part + settingsSuffix
	content, err := safefile.ReadFile(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot resume %s: the settings of its run, %s, are missing; remove it to start over", part, path)
	}
	if err != nil {
		return nil, err
	}
	var stored storedSettings
	if err := json.Unmarshal(content, &stored); err != nil || len(stored.Settings) == 0 {
		return nil, fmt.Errorf("cannot resume %s: %s does not contain the settings of its run; remove both to start over", part, path)
	}
	return stored.Settings, nil
}
