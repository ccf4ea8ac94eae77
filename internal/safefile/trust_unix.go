//go:build unix

package safefile

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	// noFollow holds the flags that refuse a symbolic link and keep opening a pipe from blocking.
	noFollow = syscall.O_NOFOLLOW | nonBlock

	nonBlock     = syscall.O_NONBLOCK
	hasUnixModes = true
)

// hardLinks returns the number of names of a file.
func hardLinks(_ *os.File, info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// trusted reports whether the owner of a file in dir is trusted, as defined in the
// package documentation.
func trusted(info fs.FileInfo, dir string) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || int(stat.Uid) == os.Geteuid() {
		return true
	}
	parent, err := os.Stat(dir)
	if err != nil {
		return false
	}
	parentStat, ok := parent.Sys().(*syscall.Stat_t)
	return ok && parentStat.Uid == stat.Uid || parent.Mode().Perm()&0o022 == 0
}
