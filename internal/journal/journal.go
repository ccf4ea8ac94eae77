// Package journal keeps the results of a run that is not finished, so that
// another run can go on from them.
//
// The results of X.jsonl are in X.jsonl.part until all are there, and the
// settings that they came about with in X.jsonl.part.settings. A run that goes
// on writes the stored results anew to X.jsonl.part.new, because among them may
// be rows that are judged again. That file takes the place of .part as soon as
// it holds as many rows. Whoever finds both puts the rest of .part behind the
// rows of .part.new. So at every moment the two together have every row that
// was finished, whatever kills the process.
//
// Rows are passed to the operating system as outputs are flushed, several times
// a second, and so outlive the process. They are not forced onto the disk one
// by one. What a power cut takes is the last seconds before it, which are
// judged again; what it leaves behind in their place is no valid result, and is
// dropped. The file as a whole is on the disk before it gets its name.
package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// What follows safefile.PartSuffix in the names of the other files.
const (
	settingsSuffix = ".settings"
	newSuffix      = ".new"
)

// Files returns the names of all files that a journal for path may use, the
// last of which is path itself.
func Files(path string) []string {
	part := path + safefile.PartSuffix
	return []string{part, part + safefile.LockSuffix, part + settingsSuffix, part + newSuffix, path}
}

// An UnfinishedError says that a file holds results of an interrupted run,
// which a new run would destroy.
type UnfinishedError struct{ Part string }

// Error says what can be done.
func (e *UnfinishedError) Error() string {
	return e.Part + " contains rows of an interrupted run: continue with --resume, or remove it to start over"
}

// ErrNotAFile says that an output can't be gone on with, as it is a device.
var ErrNotAFile = errors.New("only a file can be gone on with")

// A Journal is the JSONL file of a run that another can go on from. Its methods
// are for one goroutine at a time, but for those of its Stored.
type Journal struct {
	file     *safefile.Output
	part     string // "" for a device
	settings string // the name of that file
	stored   *Stored
	of       Settings // of the run
	rows     int      // written
}

// Open takes the JSONL file with that name for a run with these settings. With
// resume the run goes on from what an earlier one left; without anything that
// is there it starts from the beginning. It returns an *UnfinishedError where
// there is something and resume isn't set, a *SettingsError where that came
// about with other settings, and a *safefile.LockedError where another process
// works on it. After an error everything is as it was.
func Open(path string, settings Settings, resume bool) (*Journal, error) {
	file, err := safefile.ReserveOutput(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, of: settings}
	if err := j.open(settings, resume); err != nil {
		if j.stored != nil {
			j.stored.close()
		}
		file.Release()
		if errors.Is(err, ErrNotAFile) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, err
	}
	return j, nil
}

func (j *Journal) open(settings Settings, resume bool) error {
	part, ok := j.file.Part()
	switch {
	case !ok && resume:
		return ErrNotAFile
	case !ok:
		return j.file.Open("")
	}
	j.part, j.settings = part, part+settingsSuffix
	left, err := anyRow(part, part+newSuffix)
	switch {
	case err != nil:
		return err
	case left && !resume:
		return &UnfinishedError{part}
	case !left:
		return j.begin(settings)
	}
	if err := checkSettings(j.settings, settings); err != nil {
		return err
	}
	if err := merge(part); err != nil {
		return err
	}
	if j.stored, err = openStored(part, settings); err != nil {
		return err
	}
	return j.file.Open(newSuffix)
}

// begin starts from the beginning. The settings are there before the first row
// can be.
func (j *Journal) begin(settings Settings) error {
	if err := remove(j.part + newSuffix); err != nil {
		return err
	}
	if err := j.file.Open(""); err != nil {
		return err
	}
	if err := settings.write(j.settings); err != nil {
		_, abandonErr := j.file.Abandon(false)
		return errors.Join(err, abandonErr, remove(j.settings))
	}
	return nil
}

// Stored returns the results to go on from, nil where there are none.
func (j *Journal) Stored() *Stored { return j.stored }

// Write appends a piece of a line.
func (j *Journal) Write(p []byte) (int, error) { return j.file.Write(p) }

// Wrote counts a row whose line is written. When there are as many as were
// stored, the file takes the place of the one that it goes on from.
func (j *Journal) Wrote() error {
	j.rows++
	if j.stored != nil && j.stored.overtaken(j.rows) {
		return j.file.ReplacePart()
	}
	return nil
}

// Flush passes what was written on to the operating system.
func (j *Journal) Flush() error { return j.file.Flush() }

// Commit makes the file appear under its name and removes what was only there
// to go on from.
func (j *Journal) Commit() error {
	if j.stored != nil {
		j.stored.close()
	}
	if err := j.file.Commit(); err != nil {
		return err
	}
	if j.part == "" {
		return nil
	}
	return remove(j.settings)
}

// Left returns the name of the part that stays where Commit failed, "" where
// there is no row in it.
func (j *Journal) Left() string {
	if j.part == "" {
		return ""
	}
	if left, err := anyRow(j.part, j.part+newSuffix); err != nil || !left {
		return ""
	}
	return j.part
}

// Abandon gives up the file. With keep, and with results that it goes on from,
// what is finished stays in .part, and Abandon returns the name of that;
// otherwise nothing stays.
func (j *Journal) Abandon(keep bool) (string, error) {
	if j.part == "" {
		return j.file.Abandon(false)
	}
	if j.stored == nil {
		part, err := j.file.Abandon(keep)
		if !keep {
			err = errors.Join(err, remove(j.settings))
		}
		return part, err
	}
	defer j.file.Release()
	j.stored.close()
	return j.part, errors.Join(j.file.Close(), merge(j.part))
}

// anyRow reports whether one of the files has a whole line.
func anyRow(paths ...string) (bool, error) {
	for _, path := range paths {
		file, err := safefile.OpenFile(path, os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		n, _, err := lines(file, 1)
		_ = file.Close()
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// remove removes a file that need not be there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rowName is how messages name a row: by its place in the file and in the whole
// input.
func rowName(r *result.Row) string {
	return fmt.Sprintf("row %d (%s:%d)", r.Index, filepath.Clean(r.File), r.Line)
}
