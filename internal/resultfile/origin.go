package resultfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// An Origin describes the runs that wrote result files, according to their summaries.
type Origin struct {
	// Known is set if all files have a summary with settings. Otherwise Datasets and
	// Settings are empty, because they would be incomplete.
	Known    bool
	Datasets []string
	// Settings are the settings of all files. Settings that only select rows may differ,
	// and are then listed, such as "1/4, 2/4". All shards of a run together are "1/1".
	Settings result.Settings
	// Missing is the number of shards without a file, and FirstMissing the first of them, such as "3/4".
	Missing      int
	FirstMissing []string
	// Digest is that of the dataset of all files, or "".
	Digest string
	// Unchecked are the files whose dataset can't be compared with that of the others,
	// because they have no summary, or one of an earlier version.
	Unchecked []string

	paths     []string
	summaries []*report.Summary // summary of each file; may be nil
}

// ErrDifferentOptions reports that results were judged with different options.
var ErrDifferentOptions = errors.New("results were judged with different options")

// OriginOf reads the summaries of the files. If settings that affect verdicts differ, the
// error wraps ErrDifferentOptions.
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
	if err := o.checkSettings(); err != nil {
		return nil, err
	}
	if o.Known {
		o.join()
	}
	return o, nil
}

// CheckDataset returns an error if the files are results of different datasets or selections, which must
// not be merged into one run. It sets o.Digest and o.Unchecked.
func (o *Origin) CheckDataset() error {
	digest := func(s *report.Summary) string { return s.DatasetDigest }
	if i, j := o.differ(digest); j > 0 {
		a, b := o.summaries[i], o.summaries[j]
		return fmt.Errorf("%s and %s are results of different datasets according to their summaries (%s and %s, with digests %s and %s): --append concatenates them",
			o.paths[i], o.paths[j], strings.Join(a.Datasets, " "), strings.Join(b.Datasets, " "), a.DatasetDigest, b.DatasetDigest)
	}
	if i, j := o.differ(selectionOf); j > 0 {
		return fmt.Errorf("%s and %s are results of different rows according to their summaries (%s and %s): score all shards with the same options, or --append concatenates them",
			o.paths[i], o.paths[j], selectionOf(o.summaries[i]), selectionOf(o.summaries[j]))
	}
	for i, s := range o.summaries {
		if s == nil || s.DatasetDigest == "" {
			o.Unchecked = append(o.Unchecked, o.paths[i])
		}
	}
	if len(o.Unchecked) == 0 {
		o.Digest = o.summaries[0].DatasetDigest
	}
	if len(o.paths) == 1 {
		o.Unchecked = nil // nothing to compare it with
	}
	return nil
}

// differ returns the indexes of two summaries for which value differs, and 0 and 0 if there
// are none. It ignores summaries for which value is "".
func (o *Origin) differ(value func(*report.Summary) string) (i, j int) {
	first := -1
	for k, s := range o.summaries {
		switch {
		case s == nil || value(s) == "":
		case first < 0:
			first = k
		case value(s) != value(o.summaries[first]):
			return first, k
		}
	}
	return 0, 0
}

// allRows is the selection of a run without --sample and --where.
const allRows = "all rows"

// selectionOf returns the options that select the rows of a run, other than --limit, which changes the digest: allRows without
// any, and "" if they are unknown.
func selectionOf(s *report.Summary) string {
	if !hasSettings(s) {
		return ""
	}
	var options []string
	for _, x := range s.Settings {
		if x.SelectsRows() {
			options = append(options, x.Name+" "+x.Value)
		}
		if x.Name == "--sample" && x.Value != "0" {
			options = append(options, "--seed "+s.Settings.Get("--seed"))
		}
	}
	return cmp.Or(strings.Join(options, " "), allRows)
}

// CheckAppended returns an error if two files certainly share rows, which would count twice: one has the same shard of a dataset as
// the other or all of it, and the same selection or all rows.
func (o *Origin) CheckAppended() error {
	const whole, anything = "1/1", "*"
	type part struct{ digest, shard, selection string }
	overlaps := func(of, all string) []string {
		if of == all {
			return []string{anything}
		}
		return []string{of, all}
	}
	files := make(map[part]string)
	for i, s := range o.summaries {
		if !hasSettings(s) || s.DatasetDigest == "" {
			continue
		}
		selection := selectionOf(s)
		shards := strings.Split(cmp.Or(s.Settings.Get("--shard"), whole), ", ") // several in merged results
		for _, shard := range shards {
			for _, a := range overlaps(shard, whole) {
				for _, b := range overlaps(selection, allRows) {
					if other := files[part{s.DatasetDigest, a, b}]; other != "" {
						return fmt.Errorf("%s and %s are results of the same rows according to their summaries (shard %s of the dataset with digest %s), which would count twice",
							other, o.paths[i], shard, s.DatasetDigest)
					}
				}
			}
		}
		for _, shard := range append(shards, anything) {
			files[part{s.DatasetDigest, shard, selection}] = o.paths[i]
			files[part{s.DatasetDigest, shard, anything}] = o.paths[i]
		}
	}
	return nil
}

// SummaryOf returns the summary of a file, or nil.
func (o *Origin) SummaryOf(path string) *report.Summary {
	if i := slices.Index(o.paths, path); i >= 0 {
		return o.summaries[i]
	}
	return nil
}

// hasSettings reports whether s is not nil and contains settings.
func hasSettings(s *report.Summary) bool { return s != nil && len(s.Settings) > 0 }

// checkSettings compares the settings that affect verdicts.
func (o *Origin) checkSettings() error {
	for _, name := range namesOf(o.summaries) {
		if result.EffectOf(name) == result.RowsEffect {
			continue
		}
		value := func(s *report.Summary) string {
			if !hasSettings(s) {
				return ""
			}
			return result.DisplayValue(s.Settings.Get(name))
		}
		if i, j := o.differ(value); j > 0 {
			return fmt.Errorf("%w: %s is %s for %s and %s for %s", ErrDifferentOptions, name, value(o.summaries[i]), o.paths[i], value(o.summaries[j]), o.paths[j])
		}
	}
	return nil
}

// namesOf returns the names of the settings of all summaries.
func namesOf(summaries []*report.Summary) []string {
	var names []string
	for _, s := range summaries {
		if s == nil {
			continue
		}
		for _, setting := range s.Settings {
			names = appendNew(names, setting.Name)
		}
	}
	return names
}

// appendNew appends a text unless the list contains it.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// join merges the datasets and settings of all summaries.
func (o *Origin) join() {
	for _, s := range o.summaries {
		for _, d := range s.Datasets {
			o.Datasets = appendNew(o.Datasets, d)
		}
	}
	for _, name := range namesOf(o.summaries) {
		var values []string
		for _, s := range o.summaries {
			values = appendNew(values, s.Settings.Get(name))
		}
		if name == "--shard" {
			values = o.shards()
		}
		o.Settings = append(o.Settings, result.Setting{Name: name, Value: strings.Join(values, ", ")})
	}
}

// shards returns the shards, or "1/1" if they are complete, and sets o.Missing and o.FirstMissing. Shards of
// different datasets or numbers of shards belong to different runs.
func (o *Origin) shards() []string {
	const maxNamed = 10
	type run struct{ digest, of string }
	var runs []run
	var all []string
	found := map[run]map[string]bool{}
	for _, s := range o.summaries {
		for shard := range strings.SplitSeq(s.Settings.Get("--shard"), ", ") { // several in merged results
			_, of, _ := strings.Cut(shard, "/")
			r := run{s.DatasetDigest, of}
			if found[r] == nil {
				runs, found[r] = append(runs, r), map[string]bool{}
			}
			found[r][shard] = true
			all = appendNew(all, shard)
		}
	}
	for _, r := range runs {
		n, err := strconv.Atoi(r.of)
		if err != nil {
			return all
		}
		o.Missing += max(0, n-len(found[r]))
		for i := 1; i <= n && len(o.FirstMissing) < min(o.Missing, maxNamed); i++ {
			if shard := strconv.Itoa(i) + "/" + r.of; !found[r][shard] {
				o.FirstMissing = append(o.FirstMissing, shard)
			}
		}
	}
	if o.Missing > 0 {
		return all
	}
	return []string{"1/1"}
}

// maxSummaryBytes limits the size of a summary, far above that of any real one.
const maxSummaryBytes = 16 << 20

// ReadSummary reads a file written by score --summary.
func ReadSummary(path string) (*report.Summary, error) {
	content, err := safefile.ReadFile(path, maxSummaryBytes)
	if err != nil {
		return nil, err
	}
	s, err := report.ReadSummary(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// SummaryPath returns the path of the summary of a result file: NAME.summary.json beside
// NAME.jsonl or NAME.csv.gz.
func SummaryPath(path string) string {
	dir, name := filepath.Split(path)
	for _, ext := range dataset.Compressions() {
		name = strings.TrimSuffix(name, ext)
	}
	return dir + strings.TrimSuffix(name, filepath.Ext(name)) + ".summary.json"
}

// SummaryBeside reads the summary at [SummaryPath]. It returns nil if there is none.
func SummaryBeside(path string) (*report.Summary, error) {
	if path == "-" {
		return nil, nil //nolint:nilnil // as documented
	}
	s, err := ReadSummary(SummaryPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as documented
	}
	return s, err
}
