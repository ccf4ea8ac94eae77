package calibrate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/result"
)

// lexicalSettings returns the settings of a run.
func lexicalSettings() result.Settings {
	return result.Settings{
		{Name: "result format", Value: "1"},
		{Name: "--limit", Value: "0"},
		{Name: "--lang", Value: ""},
		{Name: "--claims", Value: "sentence"},
		{Name: "--judge", Value: "lexical"},
		{Name: "--evidence", Value: "chunks"},
		{Name: "--threshold", Value: "0.5"},
	}
}

// with returns s with one setting changed or added.
func with(s result.Settings, name, value string) result.Settings {
	s = append(result.Settings{}, s...)
	for i := range s {
		if s[i].Name == name {
			s[i].Value = value
			return s
		}
	}
	return append(s, result.Setting{Name: name, Value: value})
}

// exampleCalibration returns the calibration of a run with the given settings.
func exampleCalibration(t *testing.T, settings result.Settings) *Calibration {
	t.Helper()
	source := Source{Ragfaith: "ragfaith v1.2.0 (go1.26, linux/amd64)", Results: "r.jsonl", Label: "ok"}
	return New(newStatistics(t, Options{}, examples(200)), source, settings)
}

// bytesOf returns the contents of the file of a calibration.
func bytesOf(t *testing.T, c *Calibration) string {
	t.Helper()
	content, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// withMember returns the JSON object content with one member changed or added.
func withMember(t *testing.T, content, name string, value any) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(content), &members); err != nil {
		t.Fatal(err)
	}
	members[name] = value
	changed, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

func TestAdvice(t *testing.T) {
	inverted, random := examples(100), examples(100)
	for i := range inverted {
		inverted[i].label = 1 - inverted[i].label
		random[i].label = float64(i % 2)
	}
	better := func(f *Statistics) {
		f.Best.Threshold, f.Judged.BalancedAccuracy.Estimate = 0.42, 0.79
		f.Best.OutOfFold.Estimate, f.Best.OutOfFold.Lower, f.Best.OutOfFold.Upper = 0.84, 0.75, 0.93 // standard error 0.046
	}
	for _, tt := range []struct {
		name     string
		rows     []example
		change   func(*Statistics)
		settings result.Settings
		want     string
	}{
		{"better threshold", examples(200), better, lexicalSettings(), "Use --threshold 0.42: it agrees with the labels in 84% of rows in cross-validation, 0.5 in 79% (both labels weighted equally)."},
		{"unknown run", examples(200), better, nil, "Use --threshold 0.42: it agrees with the labels in 84% of rows in cross-validation, the threshold of the run in 79% (both labels weighted equally)."},
		{"no better threshold", examples(200), func(f *Statistics) { better(f); f.Judged.BalancedAccuracy.Estimate = 0.8 }, lexicalSettings(), "Keep --threshold 0.5: it agrees with the labels in 80% of rows; the best, 0.42, in 84% in cross-validation (both labels weighted equally)."},
		{"language model", examples(200), better, with(lexicalSettings(), "--judge", "llm"), "Choose no threshold: a language model returns verdicts, which have no threshold. The verdicts agree with the labels in 79% of rows, with both labels weighted equally."},
		{"graded", examples(200), func(f *Statistics) { better(f); f.Counts.Graded = f.Counts.Claims }, with(lexicalSettings(), "--judge", "llm"), "Use --threshold 0.42: it agrees"},
		{"partly graded", examples(200), func(f *Statistics) { better(f); f.Counts.Graded = 1 }, with(lexicalSettings(), "--judge", "llm"), "Choose no threshold: 399 of 400 scores are verdicts, which have no threshold."},
		{"no better threshold of an unknown run", examples(200), func(f *Statistics) { better(f); f.Judged.BalancedAccuracy.Estimate = 0.8 }, nil, "Keep the threshold of the run: no other is clearly better in cross-validation. The verdicts agree with the labels in 80% of rows, with both labels weighted equally."},
		{"inverted labels", inverted, nil, lexicalSettings(), "Check the labels: rows labelled faithful have a lower minimum claim score (AUROC "},
		{"random labels", random, nil, lexicalSettings(), "Try another judge: the minimum claim score does not separate the labels better than chance (AUROC "},
		{"few labels", examples(12), nil, lexicalSettings(), "Label more rows: too few rows for an interval ("},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newStatistics(t, Options{}, tt.rows)
			if tt.change != nil {
				tt.change(f)
			}
			c := New(f, Source{Results: "r.jsonl", Label: "ok"}, tt.settings)
			if got := c.Advice; !strings.HasPrefix(got, tt.want) || !strings.HasSuffix(got, ".") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if table := c.Table(1000); !strings.HasPrefix(table, c.Advice+"\n\n") {
				t.Errorf("got %s, want the advice first", table)
			}
		})
	}
}

func TestRoundThresholdKeepsTheVerdicts(t *testing.T) {
	for _, tt := range []struct {
		t      float64
		scores []float64
		want   float64
	}{
		{0.447674, []float64{0.3, 0.44, 0.455348, 0.9}, 0.45},
		{0.5, []float64{0.2, 0.8}, 0.5},
		{0.1234565, []float64{0.123456, 0.123457}, 0.123457},
		{0.25, []float64{0.25, 0.25}, 0.25},
		{0.000001, []float64{0, 0.000002}, 0.000001},
		{0.95, []float64{0.9, 1}, 1},
	} {
		if got := roundThreshold(tt.t, tt.scores); got != tt.want {
			t.Errorf("%v between %v: got %v, want %v", tt.t, tt.scores, got, tt.want)
		}
	}
}

func TestDecimalsDependOnSampleSize(t *testing.T) {
	for n, want := range map[int]string{2: "0.12", 59: "0.12", 3000: "0.123", 300_000: "0.1235"} {
		c := &Calibration{Statistics: Statistics{Counts: Counts{Labelled: n}}}
		if got := c.format(0.123456); got != want {
			t.Errorf("%d rows: got %s, want %s", n, got, want)
		}
	}
}

func TestCalibrationRoundTrip(t *testing.T) {
	written := exampleCalibration(t, lexicalSettings())
	content := bytesOf(t, written)
	if bytesOf(t, exampleCalibration(t, lexicalSettings())) != content {
		t.Error("equal calibrations have different bytes")
	}
	c, err := Read(writeFile(t, "c.json", content))
	if err != nil {
		t.Fatal(err)
	}
	if read := bytesOf(t, c); read != content {
		t.Errorf("got %s\nwant %s", read, content)
	}
	if c.Threshold != written.Threshold {
		t.Errorf("got threshold %v, want %v", c.Threshold, written.Threshold)
	}
	if !strings.HasPrefix(c.Name(), "c.json ") || len(c.Name()) != len("c.json ")+12 {
		t.Errorf("got name %q, want c.json and 12 hexadecimal digits", c.Name())
	}
}

func TestReadRejectsInvalidCalibrations(t *testing.T) {
	valid := bytesOf(t, exampleCalibration(t, lexicalSettings()))
	change := func(member string, value any) string { return withMember(t, valid, member, value) }
	for name, c := range map[string]struct{ content, want string }{
		"empty":         {"", "not a calibration"},
		"not JSON":      {"threshold: 0.5", "not a calibration"},
		"array":         {"[1]", "not a calibration"},
		"other object":  {`{"threshold":0.5}`, "not a calibration written by calibrate -o FILE.json"},
		"later version": {change("version", 2), "unsupported calibration version 2, want 1"},
		"unknown judge": {change("settings", nil), "without a judge"},

		"confidence that falls": {change("confidence", map[string]any{"slope": -1}), "want a slope above 0, got -1"},

		"threshold above 1":   {change("threshold", 1.5), "want a number from 0 to 1, got 1.5"},
		"threshold below 0":   {change("threshold", -0.5), "want a number from 0 to 1, got -0.5"},
		"threshold as string": {change("threshold", "0.5"), "not a calibration"},
		"too large":           {valid + strings.Repeat(" ", 16<<20), "longer than "},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "c.json", c.content)
			_, err := Read(path)
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := Read("nowhere.json"); err == nil || !strings.HasPrefix(err.Error(), "nowhere.json: ") {
		t.Error(err)
	}
}

func FuzzParseCalibration(f *testing.F) {
	f.Add([]byte(`{"$schema":"` + Schema + `","version":1,"settings":{"--judge":"lexical"},"threshold":0.5}`))
	f.Add([]byte(`{"$schema":"` + Schema + `","version":1,"settings":{"--judge":7},"threshold":1e400}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := parse(content)
		if err == nil && !(c.Threshold >= 0 && c.Threshold <= 1 && c.Settings.Get("--judge") != "") {
			t.Errorf("%s: %+v", content, c)
		}
	})
}

func TestMatch(t *testing.T) {
	c := exampleCalibration(t, lexicalSettings())
	const version = "ragfaith v1.2.0 (go1.27, darwin/arm64)"
	for name, is := range map[string]result.Settings{
		"same":           lexicalSettings(),
		"different rows": with(with(lexicalSettings(), "--limit", "10"), "--map 2", "answer=a"),
		"its threshold":  with(with(lexicalSettings(), "--threshold", "0.61"), "--calibration", "c.json 0123"),
		"unset option":   with(lexicalSettings(), "--lang", ""),
	} {
		if invalid, warnings := c.Match(is, version); len(invalid)+len(warnings) > 0 {
			t.Errorf("%s: got %q and %q, want no differences", name, invalid, warnings)
		}
	}
	for name, x := range map[string]struct {
		is   result.Settings
		want string
	}{
		"judge":  {with(lexicalSettings(), "--judge", "hhem"), "--judge is hhem, the calibration is for lexical"},
		"prompt": {with(lexicalSettings(), "prompt judge", "abc"), "prompt judge is abc, the calibration is for not set"},
		"new":    {with(lexicalSettings(), "--something", "x"), "--something is x, the calibration is for not set"},
		"gone":   {lexicalSettings()[:5], "--evidence is not set, the calibration is for chunks"},
	} {
		if invalid, _ := c.Match(x.is, version); len(invalid) != 1 || invalid[0] != x.want {
			t.Errorf("%s: got %q, want %q", name, invalid, x.want)
		}
	}
	invalid, warnings := c.Match(with(lexicalSettings(), "--lang", "de"), "ragfaith v1.3.0 (go1.27, darwin/arm64)")
	if len(invalid) > 0 || len(warnings) != 2 || warnings[0] != "it was written by ragfaith v1.2.0, this is ragfaith v1.3.0" {
		t.Errorf("got %q and %q, want two warnings", invalid, warnings)
	}
}

func TestCalibrationMatchesItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schema", "calibration.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	threshold := 3.0
	for name, c := range map[string]*Calibration{
		"verdicts": exampleCalibration(t, lexicalSettings()),
		"few":      New(newStatistics(t, Options{}, examples(3)), Source{Ragfaith: "x", Results: "-", Labels: "l.csv", Label: "ok"}, nil),
		"ratings":  New(newStatistics(t, Options{PositiveAt: &threshold}, rated(60)), Source{Ragfaith: "x", Results: "r.csv", Label: "ok", PositiveAt: &threshold}, nil),
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bytesOf(t, c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	const evil = "a`|</title><script>alert(1)</script>\n::error::x\x1b[31m\u202e"
	c := exampleCalibration(t, with(lexicalSettings(), "--model", evil))
	c.Results, c.Labels, c.Label = evil, evil, evil
	for name, text := range map[string]string{"table": c.Table(0), "markdown": c.Markdown()} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\n::") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for _, line := range strings.Split(c.Markdown(), "\n") {
		_, value, _ := strings.Cut(line, ": ")
		if strings.Contains(line, "<script>") && !strings.HasPrefix(value, "``") {
			t.Errorf("outside of code: %s", line)
		}
	}
}

func TestTableShowsAllStatistics(t *testing.T) {
	f := exampleCalibration(t, lexicalSettings())
	table := f.Table(0)
	for _, want := range []string{
		fmt.Sprintf("all claims supported %d %d\n", f.Judged.TruePositive, f.Judged.FalsePositive),
		fmt.Sprintf("some claim unsupported %d %d\n", f.Judged.FalseNegative, f.Judged.TrueNegative),
	} {
		if got := regexp.MustCompile(" +").ReplaceAllString(table, " "); !strings.Contains(got, want) {
			t.Errorf("%q missing in\n%s", want, got)
		}
	}
	for _, want := range []float64{
		f.Agreement[MinScore].AUROC.Estimate, f.Agreement[Support].AUROC.Lower, f.Agreement[Faithfulness].Spearman.Upper, f.Judged.Kappa.Estimate,
		f.Judged.BalancedAccuracy.Upper, f.Best.OutOfFold.Estimate, f.Best.Apparent, f.Mean.Judged,
		f.Mean.Mean.Lower,
	} {
		if !strings.Contains(table, f.format(want)) {
			t.Errorf("%s missing in\n%s", f.format(want), table)
		}
	}
}
