// Package exit has the exit codes of ragfaith, and the errors that decide them.
package exit

import (
	"errors"
	"fmt"
)

// Exit codes.
const (
	OK          = 0
	Failure     = 1   // the command could not run: a file, the model, the network
	Usage       = 2   // the command line, the environment or a config file is invalid
	FailedRows  = 3   // more failed rows than --max-failed
	Gate        = 4   // a gate is not met
	Interrupted = 130 // interrupted by a signal
)

// ErrInterrupted is the cancellation cause of a context that is canceled by a signal.
var ErrInterrupted = errors.New("interrupted")

// A UsageError is an error in the command line, the environment or a config file.
type UsageError struct{ Err error }

// Error returns the message of the error.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// A ReportedError sets the exit code of a failure that has already been reported.
type ReportedError struct{ Code int }

// Error names the exit code.
func (e *ReportedError) Error() string { return fmt.Sprintf("exit %d", e.Code) }
