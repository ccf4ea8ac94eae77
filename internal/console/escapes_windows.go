package console

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// SupportsEscapes reports whether the terminal behind w interprets escape sequences.
// A Windows console does so only if asked to.
func SupportsEscapes(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return true
	}
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
