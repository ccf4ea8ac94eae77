package calibrate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Schema is the URL of the JSON Schema of a Calibration.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/calibration.schema.json"

// Version is the version of the format.
const Version = 1

// The settings of a run that are used here, by their name in its summary.
const (
	settingJudge     = "--judge"
	settingThreshold = "--threshold"
	judgeLLM         = "llm"
)

// A Calibration is the result of comparing a judge with labels. It is shown as a report, and
// written as a JSON file whose threshold later runs can use.
type Calibration struct {
	Schema  string `json:"$schema"`
	Version int    `json:"version"`
	Source
	Kind     Kind             `json:"kind"`
	Settings *result.Settings `json:"settings"` // options of the run, or nil if unknown
	Choice
	Statistics

	path   string
	digest string
}

// A Source describes the results and the labels.
type Source struct {
	Ragfaith   string          `json:"ragfaith"`    // version of the program
	Results    string          `json:"results"`     // file of the results, as named by the user
	Labels     report.NullText `json:"labels"`      // file of the labels; "" if they are in Results
	Label      string          `json:"label"`       // column of the labels
	PositiveAt *float64        `json:"positive_at"` // as in Options
}

// A Choice is the threshold for the claims of later runs.
type Choice struct {
	Threshold float64 `json:"threshold"`               // of score --calibration; NaN if no threshold is known
	Own       bool    `json:"threshold_is_judges_own"` // the threshold of the run itself
	Advice    string  `json:"advice"`                  // what to do, in a sentence
	Why       string  `json:"threshold_note"`

	unknown bool // the threshold of the run is best, but unknown
}

// setting returns a setting of the run, or "" if it is unknown.
func (c *Calibration) setting(name string) string {
	if c.Settings == nil {
		return ""
	}
	return c.Settings.Get(name)
}

// Bytes returns the calibration as indented JSON. Equal calibrations produce equal bytes.
func (c *Calibration) Bytes() ([]byte, error) {
	return report.EncodeJSON(c, json.FormatNilSliceAsNull(false))
}

// Read reads a calibration. It validates only the threshold, which may be missing, the
// bounds and the settings. Errors name the file.
func Read(path string) (*Calibration, error) {
	const maxSize = 16 << 20 // much more than any calibration
	content, err := safefile.ReadFile(path, maxSize)
	var c *Calibration
	if err == nil {
		c, err = parse(content)
	}
	if err != nil {
		if pathErr, ok := errors.AsType[*os.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.path = path
	return c, nil
}

func parse(content []byte) (*Calibration, error) {
	c := &Calibration{Choice: Choice{Threshold: math.NaN()}}
	if err := report.DecodeJSON(bytes.NewReader(content), c); err != nil {
		return nil, fmt.Errorf("not a calibration: %w", err)
	}
	t := c.Threshold
	switch {
	case c.Schema != Schema:
		return nil, errors.New("not a calibration written by calibrate -o FILE.json: want $schema " + Schema)
	case c.Version != Version:
		return nil, fmt.Errorf("unsupported calibration version %d, want %d", c.Version, Version)
	case c.setting(settingJudge) == "":
		return nil, errors.New("calibration without a judge")
	case t < 0 || t > 1:
		return nil, fmt.Errorf("threshold: want a number from 0 to 1, got %v", t)
	case c.Confidence != nil && !(c.Confidence.Slope > 0):
		return nil, fmt.Errorf("confidence: want a slope above 0, got %v", c.Confidence.Slope)
	case c.Prescreen != nil && c.Prescreen.check() != nil:
		return nil, c.Prescreen.check()
	}
	sum := sha256.Sum256(content)
	c.digest = hex.EncodeToString(sum[:6])
	return c, nil
}

// Name identifies the calibration: the base name of its file and a prefix of the SHA-256 of
// its content.
func (c *Calibration) Name() string { return filepath.Base(c.path) + " " + c.digest }

// String returns a short description.
func (c *Calibration) String() string {
	own := ""
	if c.Own {
		own = " (unchanged)"
	}
	return fmt.Sprintf("%s: threshold %s from %d labelled rows%s", filepath.Base(c.path), formatShortest(c.Threshold), c.Counts.Labelled, own)
}

// CheckThreshold returns an error that names the file if the calibration has no threshold.
func (c *Calibration) CheckThreshold() error {
	if math.IsNaN(c.Threshold) {
		return fmt.Errorf("%s: calibration without a threshold: %s", c.path, c.Why)
	}
	return nil
}

// Bounds returns the confidences from which the offline judge decides that a claim is
// supported or unsupported; NaN if it never does. It returns an error if the calibration has
// no bound.
func (c *Calibration) Bounds() (supported, unsupported float64, err error) {
	if c.Prescreen == nil {
		return 0, 0, errors.New("no bounds: it is from an earlier version or for a language model")
	}
	p := c.Prescreen
	supported, unsupported = p.Supported.Score, p.Unsupported.Score
	if math.IsNaN(supported) && math.IsNaN(unsupported) {
		return 0, 0, fmt.Errorf("no bounds: supported: %s; unsupported: %s", p.Supported.Note, p.Unsupported.Note)
	}
	return supported, unsupported, nil
}

// DescribeBounds describes the bounds and their error. It names the file.
func (c *Calibration) DescribeBounds() string {
	p := c.Prescreen
	var parts []string
	for _, b := range []struct {
		name  string
		bound float64
	}{{"supported", p.Supported.Score}, {"unsupported", p.Unsupported.Score}} {
		if !math.IsNaN(b.bound) {
			parts = append(parts, b.name+" from confidence "+formatShortest(b.bound))
		}
	}
	return fmt.Sprintf("%s (%s: at most %s wrong, with %s confidence)", strings.Join(parts, ", "), filepath.Base(c.path), errorRate(p.MaxError), percent(prescreenConfidence))
}

// Match compares the calibrated run with another run. It returns the differences that make
// the calibration invalid, since the judge is a different one, and those that may change
// some scores.
func (c *Calibration) Match(settings result.Settings, ragfaith string) (invalid, warnings []string) {
	if was, is := release(c.Ragfaith), release(ragfaith); was != is {
		warnings = append(warnings, fmt.Sprintf("it was written by %s, this is %s", was, is))
	}
	for _, change := range settings.Changes(*c.Settings) {
		was, is := c.setting(change.Name), settings.Get(change.Name)
		if was == is {
			continue // empty in one run and missing in the other
		}
		text := fmt.Sprintf("%s is %s, the calibration is for %s", change.Name, cmp.Or(is, "not set"), cmp.Or(was, "not set"))
		switch result.EffectOf(change.Name) {
		case result.JudgeEffect:
			invalid = append(invalid, text)
		case result.PlatformEffect:
			warnings = append(warnings, text)
		case result.ScoringEffect, result.RowsEffect:
		}
	}
	return invalid, warnings
}

// release returns a version without the build information.
func release(version string) string {
	before, _, _ := strings.Cut(version, " (go")
	return before
}
