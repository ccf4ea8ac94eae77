package resultfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// An Origin is what the summaries beside files of results say of how these came
// about.
type Origin struct {
	// Known is whether each file has a summary beside it that has settings, as
	// one of report has not where it did not know them. Without, there are
	// neither datasets nor settings: those of some files are not those of all.
	Known    bool
	Datasets []string
	// Settings are those of the run that all files are parts of. The ones that only
	// say which rows a part has are listed where they differ, such as "1/4, 2/4";
	// all shards of a run together are its one shard, 1/1.
	Settings report.SummaryNames
	// Missing are the shards that no file is of, such as "3/4".
	Missing []string

	paths     []string
	summaries []*report.Summary // of each file, nil for none
}

// ErrOtherSettings is what results are that were judged otherwise than others.
var ErrOtherSettings = errors.New("results of one report have to be judged alike")

// OriginOf reads the summaries beside the files. Settings that decide verdicts and
// are not the same for all files are an error that wraps ErrOtherSettings.
func OriginOf(paths []string) (*Origin, error) {
	o := &Origin{Known: true, paths: paths}
	for _, path := range paths {
		s, err := SummaryBeside(path)
		if err != nil {
			return nil, err
		}
		o.summaries = append(o.summaries, s)
		o.Known = o.Known && hasSettings(s)
	}
	if err := o.alike(); err != nil {
		return nil, err
	}
	if o.Known {
		o.join()
	}
	return o, nil
}

// CheckRows compares the rows that were read of each file with the summary of its
// run: a file that was cut between two lines shows nothing else.
func (o *Origin) CheckRows(files []*File) error {
	for _, f := range files {
		s := o.of(f.path)
		if s == nil {
			continue
		}
		if s.Rows.Total != f.n {
			return fmt.Errorf("%s: it has %d rows, and its run had %d as %s says: it is cut, or that is the summary of another run",
				f.name(), f.n, s.Rows.Total, SummaryPath(f.path))
		}
		if err := f.CheckSummary(s); err != nil {
			return err
		}
	}
	return nil
}

// SettingsOf returns the settings of the run of a file, nil if they are unknown.
func (o *Origin) SettingsOf(path string) report.SummaryNames {
	if s := o.of(path); s != nil {
		return s.Settings
	}
	return nil
}

// Empty reports whether the run of a file had no rows, as a shard of a small dataset
// may have none: JSONL of none is an empty file, which is none of results otherwise.
func (o *Origin) Empty(path string) bool {
	s := o.of(path)
	return s != nil && s.Rows.Total == 0
}

// of is the summary beside a file, nil for none.
func (o *Origin) of(path string) *report.Summary {
	if i := slices.Index(o.paths, path); i >= 0 {
		return o.summaries[i]
	}
	return nil
}

// hasSettings reports whether a summary, nil for none, says how rows were judged.
func hasSettings(s *report.Summary) bool { return s != nil && len(s.Settings) > 0 }

// alike compares the settings that there are.
func (o *Origin) alike() error {
	first := -1
	for i, s := range o.summaries {
		switch {
		case !hasSettings(s):
			continue
		case first < 0:
			first = i
			continue
		}
		for _, name := range namesOf(o.summaries[first], s) {
			a, b := o.summaries[first].Settings.Get(name), s.Settings.Get(name)
			if a != b && setting.EffectOf(name) != setting.Rows {
				return fmt.Errorf("%w: %s is %s for %s and %s for %s", ErrOtherSettings, name, shown(a), o.paths[first], shown(b), o.paths[i])
			}
		}
	}
	return nil
}

// namesOf are the settings that either has.
func namesOf(summaries ...*report.Summary) []string {
	var names []string
	for _, s := range summaries {
		for _, setting := range s.Settings {
			if !slices.Contains(names, setting.Name) {
				names = append(names, setting.Name)
			}
		}
	}
	return names
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	return value
}

// join makes one run of all.
func (o *Origin) join() {
	for _, s := range o.summaries {
		for _, d := range s.Datasets {
			if !slices.Contains(o.Datasets, d) {
				o.Datasets = append(o.Datasets, d)
			}
		}
	}
	for _, name := range namesOf(o.summaries...) {
		var values []string
		for _, s := range o.summaries {
			if v := s.Settings.Get(name); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if name == "--shard" {
			values = o.shards(values)
		}
		o.Settings = append(o.Settings, report.SummaryName{Name: name, Value: strings.Join(values, ", ")})
	}
}

// shards returns what the shards are together, and notes those that are missing.
// Where they are of different numbers of shards, they are of several runs.
func (o *Origin) shards(values []string) []string {
	_, of, _ := strings.Cut(values[0], "/")
	n, err := strconv.Atoi(of)
	if err != nil {
		return values
	}
	for _, v := range values {
		if !strings.HasSuffix(v, "/"+of) {
			return values
		}
	}
	const named = 10
	for i := 1; i <= n && len(o.Missing) < named; i++ {
		if shard := strconv.Itoa(i) + "/" + of; !slices.Contains(values, shard) {
			o.Missing = append(o.Missing, shard)
		}
	}
	if len(o.Missing) > 0 {
		return values
	}
	return []string{"1/1"}
}
