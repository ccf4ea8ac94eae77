package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// outputFlags returns the flags that score and report share, without --quiet.
func outputFlags(o *output.Options) []flagSpec {
	return []flagSpec{
		formatFlag(&o.To, namesOf(report.StreamFormats(), func(f report.Format) string { return string(f) })...),
		{"sort", "ORDER", flagvalue.OneOf(&o.Sort, output.SortScore, output.SortScore, output.SortNone), "order of the table: score (lowest first) or none"},
		{"show", "N", flagvalue.Int(&o.Show, 0, 0), "show the N worst and the first N failed rows in full"},
		{"output", "FILE", &o.Files, "write results to FILE (atomically), by extension; repeatable"},
		{"summary", "FILE", &o.Summary, "write figures, options and gates to FILE as JSON"},
		{"github", "MODE", flagvalue.OneOf(&o.GitHub, "auto", "auto", "off"), "GitHub Actions summary and annotations: auto or off"},
	}
}

// checkShow returns an error for --show with data on stdout, if set on the command line.
func checkShow(o *output.Options, set bool) error {
	if o.Show > 0 && set && o.To != string(report.FormatTable) && o.To != string(report.FormatNone) {
		return exit.Usagef("--show needs --to table or none, got --to %s", o.To)
	}
	return nil
}

// checkOutputs returns an error if an output file has an unknown format or would
// overwrite another output or an input. kind describes the inputs in the message.
func checkOutputs(o *output.Options, kind string, inputs []string) error {
	for _, out := range o.Files {
		if _, err := report.FormatOf(out); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	var files []target
	if o.Summary == "-" {
		return exit.Usagef("--summary -: want the name of a file")
	}
	if o.Summary != "" {
		files = append(files, target{"--summary", o.Summary})
	}
	return checkOverwrites(append(files, targets(o.Files)...), kind+" ", inputs)
}

func gateFlags(o *output.Options) []flagSpec {
	return []flagSpec{
		{"min-mean", "SCORE", flagvalue.Fraction(&o.Gates.MinMean), "exit 4 if the mean faithfulness is below SCORE"},
		{"min-lower", "SCORE", flagvalue.Fraction(&o.Gates.MinLower), "exit 4 if the 95% interval of the mean starts below SCORE or is missing"},
		{"min-mean-by", "SCORE", flagvalue.Fraction(&o.Gates.MinMeanBy), "exit 4 if the mean of any group of --by is below SCORE"},
		{"max-no-claims", "SHARE", flagvalue.Proportion(&o.Gates.MaxNoClaims), "exit 4 if more than SHARE (such as 20%) of rows have no claims"},
		{"max-unjudged", "SHARE", flagvalue.Proportion(&o.Gates.MaxUnjudged), "exit 4 if on average over SHARE of the words are in no judged claim"},
		{"max-uncertain", "SHARE", flagvalue.Proportion(&o.Gates.MaxUncertain), "exit 4 if over SHARE of verdicts have a confidence below 0.7"},
		{"min-citation-recall", "SCORE", flagvalue.Fraction(&o.Gates.CitationRecall), "exit 4 if the mean citation recall is below SCORE"},
		{"min-citation-precision", "SCORE", flagvalue.Fraction(&o.Gates.CitationPrecision), "exit 4 if the mean citation precision is below SCORE"},
		{"max-failed", "N", flagvalue.CountOrShare(&o.Gates.MaxFailed), "exit 3 if more than N rows (or N%) fail"},
		{"cluster", "COLUMN", &o.Cluster, "treat rows with the same COLUMN as one unit in intervals"},
		{"by", "COLUMN", &o.By, "show the mean of each group of rows by COLUMN; repeatable"},
	}
}

// checkGroups returns an error for columns that can't group rows.
func checkGroups(o *output.Options) error {
	if o.Gates.MinMeanBy != nil && len(o.By) == 0 {
		return exit.Usagef("--min-mean-by needs groups: name a column with --by")
	}
	for _, c := range o.Columns() {
		if slices.Contains(result.Names(), c.Name) && !slices.Contains(report.GroupFields(), c.Name) {
			return exit.Usagef("%s %s is a field of the results: name a column of the dataset, or %s", c.Flag, c.Name, strings.Join(report.GroupFields(), ", "))
		}
	}
	return nil
}

// checkExist returns an error for the first path that does not exist.
func checkExist(paths []string) error {
	for _, path := range paths {
		if path == "-" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			if strings.Contains(path, "://") {
				return exit.Usagef("%s: want a file, got a URL: download it first", path)
			}
			if reason, ok := errors.AsType[*fs.PathError](err); ok {
				err = reason.Err
			}
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// checkStdinOnce returns an error if standard input is named more than once.
func checkStdinOnce(paths []string) error {
	if i := slices.Index(paths, "-"); i >= 0 && slices.Contains(paths[i+1:], "-") {
		return exit.Usagef("standard input (-) can be read only once")
	}
	return nil
}

// A target is an output file and the flag that names it.
type target struct{ flag, path string }

func (t target) String() string { return t.flag + " " + t.path }

// targets returns the files of a repeatable -o.
func targets(output []string) []target {
	var all []target
	for _, path := range output {
		all = append(all, target{"-o", path})
	}
	return all
}

// checkOverwrites returns an error if two outputs are the same file, or if an output
// would overwrite an input: under its own name or a temporary name. kind describes the
// inputs in the message. Inputs named "" are ignored, and "-" unless it is a file.
func checkOverwrites(files []target, kind string, inputs []string) error {
	inputs = slices.DeleteFunc(slices.Clone(inputs), func(in string) bool { return in == "" })
	for i, in := range inputs {
		if in != "-" {
			continue
		}
		inputs[i] = "/dev/stdin"
		if info, err := os.Stat(inputs[i]); err != nil || !info.Mode().IsRegular() {
			inputs = slices.Delete(inputs, i, i+1)
		}
		break // it can be named once
	}
	const stdout = "/dev/stdout"
	if info, err := os.Stat(stdout); err == nil && info.Mode().IsRegular() {
		if i := slices.IndexFunc(inputs, func(in string) bool { return sameFile(in, stdout) }); i >= 0 {
			return exit.Usagef("standard output is %s%s", kind, inputs[i])
		}
	}
	for i, file := range files {
		for _, other := range files[:i] {
			if sameFile(other.path, file.path) {
				return exit.Usagef("%s and %s are the same file", other, file)
			}
			for _, pair := range [][2]target{{other, file}, {file, other}} {
				for _, name := range journal.Files(pair[0].path) {
					if sameFile(name, pair[1].path) {
						return exit.Usagef("%s: %s uses that name while it is written", pair[1], pair[0])
					}
				}
			}
		}
		for _, name := range journal.Files(file.path) {
			for _, in := range inputs {
				if sameFile(name, in) {
					return exit.Usagef("%s would overwrite %s%s", file, kind, in)
				}
			}
		}
	}
	return nil
}

// sameFile reports whether two paths name the same file, which need not exist.
func sameFile(a, b string) bool {
	_, _, same := duplicate([]string{a, b})
	return same
}

// withoutStdin returns the paths of files.
func withoutStdin(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
}

// duplicate returns the first two paths that name the same file. It calls stat once for
// each path, as there may be thousands of shards.
func duplicate(paths []string) (first, second string, found bool) {
	infos := make([]os.FileInfo, len(paths)) // nil for a file that does not exist
	for i, path := range paths {
		infos[i], _ = os.Stat(path)
		for j, other := range infos[:i] {
			if infos[i] != nil && other != nil && os.SameFile(infos[i], other) || infos[i] == nil && other == nil && safefile.Abs(path) == safefile.Abs(paths[j]) {
				return paths[j], path, true
			}
		}
	}
	return "", "", false
}

// renderingFormat returns the format of a file of calibrate and compare by its extension.
func renderingFormat(path string) (string, error) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if !slices.Contains([]string{"json", "md", "html"}, format) {
		return "", exit.Usagef("-o %s: unknown extension, want .json, .md or .html", path)
	}
	return format, nil
}

// checkRenderings rejects files of -o of unknown formats, and those that overwrite a file.
func checkRenderings(output, inputs []string) error {
	for _, path := range output {
		if _, err := renderingFormat(path); err != nil {
			return err
		}
	}
	return checkOverwrites(targets(output), "", inputs)
}

// A rendering is what calibrate and compare write.
type rendering struct {
	content interface {
		Table(width int) string
		Markdown() string
		JSON() ([]byte, error)
	}
	page func(w io.Writer) error // writes HTML
}

// write writes the rendering in the given format. It writes nothing for "none".
func (r rendering) write(w io.Writer, format string, width int) (err error) {
	var content []byte
	switch format {
	case "none":
		return nil
	case "html":
		return r.page(w)
	case "table":
		content = []byte(r.content.Table(width))
	case "json":
		content, err = r.content.JSON()
	default:
		content = []byte(r.content.Markdown())
	}
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// writeRenderings creates the files of -o, calls prepare and writes what it returns. The
// files appear only if all of them can be written, so that a file that can't be created is
// an error before prepare reads any row.
func writeRenderings(output []string, prepare func() (rendering, error)) (rendering, error) {
	var files []*safefile.Output
	defer func() {
		for _, f := range files {
			_, _ = f.Abandon(false) // an earlier error is returned
		}
	}()
	for _, path := range output {
		f, err := safefile.CreateOutput(path)
		if err != nil {
			return rendering{}, err
		}
		files = append(files, f)
	}
	r, err := prepare()
	if err != nil {
		return r, err
	}
	for i, path := range output {
		format, err := renderingFormat(path)
		if err == nil {
			err = r.write(files[i], format, 0)
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", path, err)
		}
	}
	for len(files) > 0 {
		f := files[0]
		files = files[1:]
		if err := f.Commit(); err != nil {
			return r, err
		}
	}
	return r, nil
}
