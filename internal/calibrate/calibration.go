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
	"strconv"
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

// JSON returns the calibration as an indented object. Equal calibrations produce equal bytes.
func (c *Calibration) JSON() ([]byte, error) {
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
	}
	if c.Prescreen != nil {
		if err := c.Prescreen.check(); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(content)
	c.digest = hex.EncodeToString(sum[:6])
	return c, nil
}

// Name returns the base name of the file and a prefix of the SHA-256 of its content.
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

// Bounds returns the confidences at or above which the offline judge decides that a claim is
// supported or unsupported; NaN if it never does. It returns an error if there are no bounds.
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
	add := func(name string, bound float64) {
		if !math.IsNaN(bound) {
			parts = append(parts, name+" from confidence "+formatShortest(bound))
		}
	}
	add("supported", p.Supported.Score)
	add("unsupported", p.Unsupported.Score)
	return fmt.Sprintf("%s (%s: at most %s wrong, with %s confidence)", strings.Join(parts, ", "), filepath.Base(c.path), report.Percent(p.MaxError, 6), report.Percent(p.Confidence, 0))
}

// Match compares the settings of a run with the calibrated ones. invalid are differences that
// make it another judge, warnings those that may change some scores.
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

// New returns the calibration of a run, whose settings are nil if they are unknown.
func New(statistics *Statistics, source Source, settings result.Settings) *Calibration {
	c := &Calibration{Schema: Schema, Version: Version, Source: source, Kind: Verdicts, Statistics: *statistics}
	if source.PositiveAt != nil {
		c.Kind = Ratings
	}
	if settings != nil {
		c.Settings = &settings
	}
	if c.setting(settingJudge) == judgeLLM { // confidences of a language model describe verdicts already made
		c.Prescreen = nil
	}
	c.Choice = c.choose()
	c.Advice = c.advise()
	return c
}

// choose returns the best threshold if it is clearly better on other rows than that of the
// run, and otherwise that of the run. Since only the best threshold was fitted to the
// labels, its cross-validated accuracy is compared with the accuracy of the run on these
// rows. The margin is one standard error, the rule of Breiman, Friedman, Olshen and Stone,
// "Classification and Regression Trees" (1984): with 30 labels the best threshold varies by
// 0.1 and more between samples.
func (c *Calibration) choose() Choice {
	none := func(why string) Choice { return Choice{Threshold: math.NaN(), Why: why} }
	switch {
	case c.setting(settingJudge) == judgeLLM && c.Counts.Graded == 0:
		return none("a language model returns verdicts, which have no threshold")
	case c.setting(settingJudge) == judgeLLM && c.Counts.Graded < c.Counts.Claims:
		return none(fmt.Sprintf("%d of %d scores are verdicts, which have no threshold", c.Counts.Claims-c.Counts.Graded, c.Counts.Claims))
	case !c.Best.OutOfFold.Reliable():
		return none(c.Best.OutOfFold.Note)
	case !c.separates():
		return none("the minimum claim score does not separate the labels better than chance")
	}
	const z95 = 1.959963984540054 // half the width of a 95% interval in standard errors
	best := c.Best.OutOfFold
	standardError := (best.Upper - best.Lower) / (2 * z95)
	if best.Estimate-standardError > c.Judged.BalancedAccuracy.Estimate {
		return Choice{Threshold: c.Best.Threshold, Why: "clearly better in cross-validation than the threshold of the run"}
	}
	why := formatShortest(c.Best.Threshold) + " is not clearly better in cross-validation"
	own, err := strconv.ParseFloat(c.setting(settingThreshold), 64)
	if err != nil || !(own >= 0 && own <= 1) {
		return Choice{Threshold: math.NaN(), Why: why, unknown: true}
	}
	return Choice{Threshold: own, Own: true, Why: why}
}

// separates reports whether the score is higher for faithful rows, as far as the labels
// show. If not, a threshold that fits them fits by chance.
func (c *Calibration) separates() bool {
	auroc := c.Agreement[MinScore].AUROC
	return !auroc.Reliable() || auroc.Lower > 0.5
}

func (c *Calibration) advise() string {
	auroc := c.Agreement[MinScore].AUROC
	quality := fmt.Sprintf("(AUROC %s, 95%% interval %s to %s)", c.format(auroc.Estimate), c.format(auroc.Lower), c.format(auroc.Upper))
	own := report.Percent(c.Judged.BalancedAccuracy.Estimate, 0)
	best, crossValidated := formatShortest(c.Best.Threshold), report.Percent(c.Best.OutOfFold.Estimate, 0)
	const weights = " (both labels weighted equally)"
	switch {
	case auroc.Reliable() && auroc.Upper < 0.5:
		return "Check the labels: rows labelled faithful have a lower minimum claim score " + quality + "; 1 must mean faithful."
	case !c.separates():
		return "Try another judge: the minimum claim score does not separate the labels better than chance " + quality + ", so no threshold helps."
	case !c.Judged.BalancedAccuracy.Reliable():
		return "Label more rows: " + c.Judged.BalancedAccuracy.Note + "."
	case c.Own:
		return "Keep --threshold " + formatShortest(c.Threshold) + ": it agrees with the labels in " + own + " of rows; the best, " + best + ", in " + crossValidated + " in cross-validation" + weights + "."
	case !math.IsNaN(c.Threshold):
		run := cmp.Or(c.setting(settingThreshold), "the threshold of the run")
		return "Use --threshold " + best + ": it agrees with the labels in " + crossValidated + " of rows in cross-validation, " + run + " in " + own + weights + "."
	}
	first := "Choose no threshold: " + c.Why + "."
	if c.unknown {
		first = "Keep the threshold of the run: no other is clearly better in cross-validation."
	}
	return first + " The verdicts agree with the labels in " + own + " of rows, with both labels weighted equally."
}

// format formats a statistic to the first nonzero decimal of the largest standard error of a
// share, with two to four decimals.
func (c *Calibration) format(x float64) string {
	const minDecimals, maxDecimals = 2, 4
	standardError := 0.5 / math.Sqrt(float64(c.Counts.Labelled))
	decimals := min(max(int(math.Ceil(-math.Log10(standardError))), minDecimals), maxDecimals)
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
