package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// takesEscapes reports whether a terminal obeys escape sequences, which a console
// of Windows has to be asked to do.
func takesEscapes(w io.Writer) bool {
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
