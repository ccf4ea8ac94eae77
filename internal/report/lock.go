package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/regular"
)

// LockSuffix follows PartSuffix in the name of the file that a run locks while
// it writes an output.
const LockSuffix = ".lock"

// errHeld says that another process holds a lock.
var errHeld = errors.New("held by another process")

// A BusyError says that another run writes the same file.
type BusyError struct {
	Path    string // as it was given
	Process int    // of the other run; 0 where that is unknown
}

// Error names the file and the process.
func (e *BusyError) Error() string {
	if e.Process == 0 {
		return e.Path + ": another run is writing it"
	}
	return fmt.Sprintf("%s: another run is writing it (process %d)", e.Path, e.Process)
}

// A lock keeps other runs from writing the same output. The operating system
// takes it back from a process that ends in any way, so that what a killed one
// leaves is a file without meaning, and blocks nobody.
type lock struct {
	path string
	file *os.File
}

// acquire takes the lock whose file is path, or returns errHeld and the process
// that has it. Whoever lets go of a lock removes its file. So a file that was
// opened before that may not be the one that others will lock; then there is
// another try.
func acquire(path string) (*lock, int, error) {
	const tries = 100 // each one that fails means that another run just ended
	for range tries {
		file, err := openLocked(path)
		if errors.Is(err, errHeld) {
			return nil, holder(path), err
		}
		if err != nil {
			return nil, 0, err
		}
		ours, err := file.Stat()
		theirs, statErr := os.Stat(path)
		if err == nil && statErr == nil && os.SameFile(ours, theirs) {
			// The number is for people, and so is worth no failure.
			_ = file.Truncate(0)
			_, _ = file.WriteString(strconv.Itoa(os.Getpid()) + "\n")
			return &lock{path, file}, 0, nil
		}
		_ = file.Close()
		if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			return nil, 0, statErr
		}
	}
	return nil, 0, errHeld
}

// release lets go of the lock. A nil lock is none.
func (l *lock) release() {
	if l == nil || l.file == nil {
		return
	}
	// In this order no other run can hold a file of that name; where an open
	// file can't be removed, it is after it is closed.
	err := os.Remove(l.path)
	_ = l.file.Close()
	if err != nil {
		_ = os.Remove(l.path)
	}
	l.file = nil
}

// holder reads which process has the lock, 0 where that can't be read.
func holder(path string) int {
	content, err := regular.Read(path, 64)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}
