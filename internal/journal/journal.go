// Package journal stores the results of an unfinished run, so that another run can resume it.
//
// The results of X.jsonl are in X.jsonl.part until the run is complete, and the
// settings of the run are in X.jsonl.part.settings. A resumed run writes the stored
// results to X.jsonl.part.new, because some of their rows may be rescored. That file
// replaces .part as soon as it contains as many rows. A process that finds both files
// keeps the one with more rows. So no finished row is lost if the process is killed, except
// that rows whose failure was retried may have to be retried again.
//
// Rows are passed to the operating system when outputs are flushed, several times per
// second, so they survive a crash of the process. They are not synced one by one: a
// power failure loses the rows of the last seconds, and the rows of damaged lines are rescored.
// The complete file is synced before it is renamed.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Suffixes that follow safefile.PartSuffix in the names of the other files.
const (
	settingsSuffix = ".settings"
	newSuffix      = ".new"
)

// Files returns the names of all files that a journal for path may use, ending with path.
func Files(path string) []string {
	part := path + safefile.PartSuffix
	return []string{part, part + safefile.LockSuffix, part + settingsSuffix, part + newSuffix, path}
}

// A Journal is the JSONL output of a run that can be resumed. Its methods, except those
// of its Stored, must not be called concurrently.
type Journal struct {
	file     *safefile.Output
	part     string
	stored   *Stored         // nil if the run is new
	settings result.Settings // settings of the run
	rows     int             // number of rows written
}

// Open opens the journal of the JSONL file path for a run with the given settings. If
// resume is set, the run continues an earlier one, if any. Open returns an error if there
// are results and resume is not set, a *SettingsError if their settings differ, and a *safefile.LockedError if another process uses the file.
// It does not change the files if it fails.
func Open(path string, settings result.Settings, resume bool) (*Journal, error) {
	file, err := safefile.ReserveOutput(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, part: file.Part(), settings: settings}
	if err := j.open(resume); err != nil {
		if j.stored != nil {
			j.stored.Close()
		}
		file.Release()
		return nil, err
	}
	return j, nil
}

func (j *Journal) open(resume bool) error {
	found, err := anyRow(j.part)
	switch {
	case err != nil:
		return err
	case !found:
		return j.create()
	}
	settings, err := readSettings(j.part)
	if err != nil {
		return err
	}
	if !resume {
		return errors.New(j.part + " contains rows of an interrupted run: continue with --resume, or remove it to start over")
	}
	if changes := j.settings.Changes(settings); len(changes) > 0 {
		return &SettingsError{Part: j.part, Changes: changes}
	}
	if err := keepLonger(j.part); err != nil {
		return err
	}
	if j.stored, err = openStored(j.part); err != nil {
		return err
	}
	return j.file.Open(newSuffix)
}

// create starts a new run. It writes the settings before any row.
func (j *Journal) create() error {
	if err := safefile.Remove(j.part + newSuffix); err != nil {
		return err
	}
	if err := j.file.Open(""); err != nil {
		return err
	}
	content, err := json.MarshalIndent(storedSettings{j.settings}, "", " ")
	if err == nil {
		err = safefile.WriteFile(j.part+settingsSuffix, append(content, '\n'), 0o600) // synced
	}
	if err != nil {
		_, abandonErr := j.file.Abandon(false)
		return errors.Join(err, abandonErr, safefile.Remove(j.part+settingsSuffix))
	}
	return nil
}

// Stored returns the results of the run that is resumed, or nil.
func (j *Journal) Stored() *Stored { return j.stored }

// ReopenStored opens the stored results again from the start, for a run that reads its rows more
// than once. It returns nil if there are none. The caller must close the result.
func (j *Journal) ReopenStored() (*Stored, error) {
	if j.stored == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	return openStored(j.part)
}

// Write appends part of a line.
func (j *Journal) Write(p []byte) (int, error) { return j.file.Write(p) }

// Wrote counts a row after its line was written. Once the new file contains as many
// rows as the old one, it replaces it.
func (j *Journal) Wrote() error {
	j.rows++
	if j.stored == nil {
		return nil
	}
	if end := j.stored.total.Load(); end < 0 || int64(j.rows) < end {
		return nil
	}
	return j.file.ReplacePart()
}

// Flush passes the rows to the operating system.
func (j *Journal) Flush() error { return j.file.Flush() }

// Commit renames the complete file to its final name and removes the settings.
func (j *Journal) Commit() error {
	if j.stored != nil {
		j.stored.Close()
	}
	if err := j.file.Commit(); err != nil {
		return err
	}
	return safefile.Remove(j.part + settingsSuffix)
}

// RemainingPart returns the name of the .part file that remains after Commit failed, or
// "" if it contains no rows.
func (j *Journal) RemainingPart() string {
	if found, err := anyRow(j.part); err != nil || !found {
		return ""
	}
	return j.part
}

// Abandon closes the journal of an interrupted run. If keep is set or the run was resumed, it keeps
// the finished rows in .part and returns its name. Otherwise it removes all files.
func (j *Journal) Abandon(keep bool) (string, error) {
	if j.stored == nil {
		part, err := j.file.Abandon(keep)
		if !keep {
			err = errors.Join(err, safefile.Remove(j.part+settingsSuffix))
		}
		return part, err
	}
	defer j.file.Release()
	j.stored.Close()
	return j.part, errors.Join(j.file.Close(), keepLonger(j.part))
}

// anyRow reports whether .part or .part.new contains a row.
func anyRow(part string) (bool, error) {
	for _, path := range []string{part, part + newSuffix} {
		if n, err := countLines(path, 1); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// keepLonger makes .part the one of .part and .part.new with more rows, and removes the other.
func keepLonger(part string) error {
	path := part + newSuffix
	rows, err := countLines(path, math.MaxInt)
	if err != nil {
		return err
	}
	stored, err := countLines(part, rows+1)
	switch {
	case err != nil:
		return err
	case rows == 0 || stored > rows:
		return safefile.Remove(path)
	}
	return safefile.Rename(path, part)
}

// countLines returns the number of complete lines of a file, which need not exist, but at most
// limit.
func countLines(path string, limit int) (n int, err error) {
	file, err := safefile.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	buf := make([]byte, 256<<10)
	for n < limit && err == nil {
		var size int
		size, err = file.Read(buf)
		n += bytes.Count(buf[:size], []byte{'\n'})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	return min(n, limit), nil
}
