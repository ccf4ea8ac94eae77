package calibrate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// Schema is the URL of the JSON Schema of a Calibration.
const Schema = "https://raw.githubusercontent.com/ragfaith/ragfaith/main/schema/calibration.schema.json"

// Version is the version of the format.
const Version = 1

// A Calibration is a Report as a JSON file, whose threshold later runs can use.
type Calibration struct {
	Schema     string        `json:"$schema"`
	Version    int           `json:"version"`
	Ragfaith   string        `json:"ragfaith"`
	Results    string        `json:"results"`
	Labels     *string       `json:"labels"` // nil if they are in Results
	Label      string        `json:"label"`
	PositiveAt *float64      `json:"positive_at"`
	Kind       Kind          `json:"kind"`
	Settings   *setting.List `json:"settings"` // options of the run, or nil if unknown
	Score      Score         `json:"score"`
	// Threshold is the threshold of claims for score --calibration, or null.
	Threshold   report.Number            `json:"threshold"`
	Own         bool                     `json:"threshold_is_judges_own"`
	Advice      string                   `json:"advice"` // what to do, in a sentence
	Why         string                   `json:"threshold_note"`
	Rows        CalibrationRows          `json:"rows"`
	Faithful    report.SummaryInterval   `json:"faithful"`
	Agreement   map[Score]AgreementStats `json:"agreement"`
	Judged      JudgedStats              `json:"judged"`
	Best        BestStats                `json:"best"`
	Reliability ReliabilityStats         `json:"reliability"`
	Mean        MeanStats                `json:"mean"`
	Confidence  *ConfidenceFit           `json:"confidence,omitempty"` // nil if the labels do not determine it
	Prescreen   *PrescreenStats          `json:"prescreen,omitempty"`  // nil if there are no confidences to apply bounds to
	Notes       []string                 `json:"notes"`

	path   string
	digest string
}

// CalibrationRows are numbers of rows.
type CalibrationRows struct {
	Total      int `json:"total"`
	Labelled   int `json:"labelled"`
	Faithful   int `json:"faithful"`
	Unscored   int `json:"unscored"`
	Unlabelled int `json:"unlabelled"`
}

// AgreementStats is the JSON form of Agreement.
type AgreementStats struct {
	AUROC    report.SummaryInterval `json:"auroc"`
	Spearman report.SummaryInterval `json:"spearman"`
}

// JudgedStats is the JSON form of Calls.
type JudgedStats struct {
	TruePositive     int                    `json:"true_positive"`
	FalsePositive    int                    `json:"false_positive"`
	FalseNegative    int                    `json:"false_negative"`
	TrueNegative     int                    `json:"true_negative"`
	BalancedAccuracy report.SummaryInterval `json:"balanced_accuracy"`
	Kappa            report.SummaryInterval `json:"kappa"`
}

// BestStats is the JSON form of the best threshold.
type BestStats struct {
	Threshold report.Number          `json:"threshold"`
	Apparent  report.Number          `json:"apparent"`
	OutOfFold report.SummaryInterval `json:"out_of_fold"`
	Low       report.Number          `json:"low"`
	High      report.Number          `json:"high"`
}

// ReliabilityStats is the JSON form of Reliability.
type ReliabilityStats struct {
	ECE    report.Number `json:"ece"`
	Chance report.Number `json:"ece_by_chance"`
	Bins   []Bin         `json:"bins"`
	Note   *string       `json:"note"`
}

// A Bin is a bin of a reliability diagram in a file.
type Bin struct {
	Low      float64       `json:"low"`
	High     float64       `json:"high"`
	N        int           `json:"n"`
	Mean     report.Number `json:"mean"`
	Faithful report.Number `json:"faithful"`
}

// MeanStats is the JSON form of Mean.
type MeanStats struct {
	Judged    report.Number          `json:"judged"`
	Rows      int                    `json:"rows"`
	Labelled  report.SummaryInterval `json:"labelled"`
	Corrected report.SummaryInterval `json:"corrected"`
	Lambda    report.Number          `json:"lambda"`
	Note      *string                `json:"note"`
}

// Calibration returns the report for a file.
func (r *Report) Calibration() *Calibration {
	f, choice := r.Statistics, r.Choice()
	c := &Calibration{
		Schema: Schema, Version: Version, Ragfaith: r.Ragfaith, Results: r.Results, Labels: nilIfEmpty(r.Labels), Label: r.Label,
		PositiveAt: r.PositiveAt, Kind: f.Kind, Score: f.Score,
		Threshold: report.Number(choice.Threshold), Own: choice.Own, Advice: r.Advice(), Why: choice.Why,
		Rows:      CalibrationRows{f.Counts.Rows, f.Counts.Labelled, f.Faithful, f.Counts.Unscored, f.Counts.Unlabelled},
		Faithful:  report.NewSummaryInterval(&f.Positive),
		Agreement: make(map[Score]AgreementStats),
		Judged: JudgedStats{
			f.Judged.TruePositive, f.Judged.FalsePositive, f.Judged.FalseNegative, f.Judged.TrueNegative,
			report.NewSummaryInterval(&f.Judged.BalancedAccuracy), report.NewSummaryInterval(&f.Judged.Kappa),
		},
		Best: BestStats{
			report.Number(f.Best.Threshold), report.Number(f.Best.Apparent), report.NewSummaryInterval(&f.Best.OutOfFold),
			report.Number(f.Best.Low), report.Number(f.Best.High),
		},
		Reliability: ReliabilityStats{report.Number(f.Reliability.ECE), report.Number(f.Reliability.Chance), []Bin{}, nilIfEmpty(f.Reliability.Note)},
		Mean: MeanStats{
			report.Number(f.Mean.Judged), f.Mean.Rows, report.NewSummaryInterval(&f.Mean.Corrected.Labelled), report.NewSummaryInterval(&f.Mean.Corrected.Mean),
			report.Number(f.Mean.Corrected.Lambda), nilIfEmpty(f.Mean.Note),
		},
		Confidence: f.Confidence, Prescreen: r.prescreen(),
		Notes: append([]string{}, f.Notes...),
	}
	if r.Settings != nil {
		c.Settings = &r.Settings
	}
	for _, a := range f.Scores {
		c.Agreement[a.Score] = AgreementStats{report.NewSummaryInterval(&a.AUROC), report.NewSummaryInterval(&a.Spearman)}
	}
	for _, b := range f.Reliability.Bins {
		c.Reliability.Bins = append(c.Reliability.Bins, Bin{b.Low, b.High, b.N, report.Number(b.Mean), report.Number(b.Share)})
	}
	return c
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Bytes returns the calibration as indented JSON. Identical reports produce identical bytes.
func (c *Calibration) Bytes() ([]byte, error) { return report.IndentJSON(c) }

// Read reads a calibration. It validates only the threshold, which may be missing, the
// bounds and the settings. Errors name the file.
func Read(path string) (*Calibration, error) {
	const maxSize = 16 << 20 // much more than any calibration
	file, err := safefile.Open(path)
	if err != nil {
		if pathErr, ok := errors.AsType[*os.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	switch {
	case err != nil:
	case len(content) > maxSize:
		err = errors.New("not a calibration: too large")
	default:
		var c *Calibration
		if c, err = parse(content); err == nil {
			c.path = path
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

func parse(content []byte) (*Calibration, error) {
	c := &Calibration{Threshold: report.NullNumber()}
	if err := json.Unmarshal(content, c); err != nil {
		return nil, fmt.Errorf("not a calibration: %w", err)
	}
	t := float64(c.Threshold)
	switch {
	case c.Schema != Schema:
		return nil, errors.New("not a calibration written by calibrate -o FILE.json: want $schema " + Schema)
	case c.Version != Version:
		return nil, fmt.Errorf("unsupported calibration version %d, want %d", c.Version, Version)
	case c.Settings == nil || c.Settings.Get(settingJudge) == "":
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
	return fmt.Sprintf("%s: threshold %s from %d labelled rows%s", filepath.Base(c.path), formatShortest(float64(c.Threshold)), c.Rows.Labelled, own)
}

// CheckThreshold returns an error that names the file if the calibration has no threshold.
func (c *Calibration) CheckThreshold() error {
	if math.IsNaN(float64(c.Threshold)) {
		return fmt.Errorf("%s: calibration without a threshold: %s", c.path, c.Why)
	}
	return nil
}

// Match compares the calibrated run with another run. It returns the differences that make
// the calibration invalid, since the judge is a different one, and those that may change
// some scores.
func (c *Calibration) Match(settings setting.List, ragfaith string) (invalid, warnings []string) {
	if was, is := release(c.Ragfaith), release(ragfaith); was != is {
		warnings = append(warnings, fmt.Sprintf("it was written by %s, this is %s", was, is))
	}
	differs := func(name, was, is string) {
		text := fmt.Sprintf("%s is %s, the calibration is for %s", name, orNotSet(is), orNotSet(was))
		switch setting.EffectOf(name) {
		case setting.Judge:
			invalid = append(invalid, text)
		case setting.Platform:
			warnings = append(warnings, text)
		case setting.Scoring, setting.Rows:
		}
	}
	seen := make(map[string]bool)
	for _, s := range settings {
		seen[s.Name] = true
		if was := c.Settings.Get(s.Name); was != s.Value {
			differs(s.Name, was, s.Value)
		}
	}
	for _, s := range *c.Settings {
		if !seen[s.Name] && s.Value != "" {
			differs(s.Name, s.Value, "")
		}
	}
	return invalid, warnings
}

func orNotSet(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

// release returns a version without the build information.
func release(version string) string {
	before, _, _ := strings.Cut(version, " (go")
	return before
}
