package config

import (
	"os"
	"path/filepath"
)

// Name is the file name of config files.
const Name = "ragfaith.yaml"

// Find returns the config file for the directory dir: the one in dir or, if dir is
// inside a Git repository, in its nearest parent within the repository. Outside of a
// repository the parents are ignored, because others may be able to write to them.
// Find returns "" if there is no file. dir must be absolute, and so is the result.
func Find(dir string) string {
	if path := In(dir); path != "" {
		return path
	}
	root := repository(dir)
	if root == "" {
		return ""
	}
	for dir != root {
		dir = filepath.Dir(dir)
		if path := In(dir); path != "" {
			return path
		}
	}
	return ""
}

// In returns the config file in dir, or "" if there is none.
func In(dir string) string {
	if path := filepath.Join(dir, Name); exists(path) {
		return path
	}
	return ""
}

// repository returns the root of the Git repository that contains dir, or "". Its
// .git is a directory, or a file in additional work trees.
func repository(dir string) string {
	for !exists(filepath.Join(dir, ".git")) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
	return dir
}

// exists reports whether path exists. An unreadable file exists too: reading it must
// fail, rather than fall back to another file.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
