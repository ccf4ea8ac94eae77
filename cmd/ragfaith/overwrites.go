package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/ragfaith/ragfaith/internal/journal"
)

// A target is a file that a command writes, and the flag that names it.
type target struct{ flag, path string }

func (t target) String() string { return t.flag + " " + t.path }

// targets are the files of an -o that can be repeated.
func targets(output []string) []target {
	var all []target
	for _, path := range output {
		all = append(all, target{"-o", path})
	}
	return all
}

// checkOverwrites finds a file that would be written twice, or that would
// overwrite an input: under its own name, or under one of those that it has while
// it is written. what says in a message what the inputs are; inputs named "" or
// "-" are none.
func checkOverwrites(files []target, what string, inputs []string) error {
	inputs = slices.DeleteFunc(slices.Clone(inputs), func(in string) bool { return in == "" || in == "-" })
	for i, file := range files {
		for _, other := range files[:i] {
			if sameFile(other.path, file.path) {
				return usagef("%s and %s are the same file", other, file)
			}
			for _, pair := range [][2]target{{other, file}, {file, other}} {
				for _, name := range journal.Files(pair[0].path) {
					if sameFile(name, pair[1].path) {
						return usagef("%s: %s uses that name while it is written", pair[1], pair[0])
					}
				}
			}
		}
		for _, name := range journal.Files(file.path) {
			for _, in := range inputs {
				if sameFile(name, in) {
					return usagef("%s would overwrite %s%s", file, what, in)
				}
			}
		}
	}
	return nil
}

// sameFile reports whether two names are of one file, which need not exist.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return resolved(a) == resolved(b)
}

// resolved returns path in full, with the links of its directory followed.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path
}
