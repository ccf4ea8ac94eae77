package main

import "github.com/spf13/pflag"

// A pathKind is what on the disk a flag names.
type pathKind int

const (
	noPath pathKind = iota
	filePath
	folderPath
)

// pathOf goes by the word for the value in the usage of a flag: `file` and
// `folder`. Completion offers such names, and in a file of settings they are
// relative to that file.
func pathOf(f *pflag.Flag) pathKind {
	switch name, _ := pflag.UnquoteUsage(f); name {
	case "file", "FILE":
		return filePath
	case "folder":
		return folderPath
	}
	return noPath
}
