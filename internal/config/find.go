package config

import (
	"os"
	"path/filepath"
)

// Name is the name of config files.
const Name = "ragfaith.yaml"

// Find returns the path of the config file for directory dir, or "" if there is
// none. It looks in dir and, within a Git repository, in each parent up to the
// root of the repository. Outside of repositories it ignores parents, because
// other users may be able to write to them. dir must be absolute, and so is the
// result.
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

// In returns the path of the config file in dir, or "" if there is none.
func In(dir string) string {
	if path := filepath.Join(dir, Name); exists(path) {
		return path
	}
	return ""
}

// repository returns the root of the Git repository that contains dir, or "".
// In additional work trees, .git is a file.
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

// exists reports whether path exists, even if it is unreadable. Reading an
// unreadable file must fail rather than fall back to another file.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
