package settings

import (
	"os"
	"path/filepath"
)

// Name is what a file of settings is called.
const Name = "ragfaith.yaml"

// Find returns the file of settings that is for a folder: the one in it, or where
// the folder lies in a repository of git, the nearest one above it that is in the
// repository as well. Outside of a repository no other folder is looked into,
// since others may write to those above. It returns "" where there is none. dir is
// absolute, and so is the name returned.
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

// In returns the file of settings in a folder, "" where there is none.
func In(dir string) string {
	if path := filepath.Join(dir, Name); exists(path) {
		return path
	}
	return ""
}

// repository returns the folder of the repository that dir is in, "" for none.
// What is in it is called .git: a folder, or a file in other work trees.
func repository(dir string) string {
	for {
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// exists reports whether there is something of that name, even where it can't be
// read: that is to be told, and not passed over.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
