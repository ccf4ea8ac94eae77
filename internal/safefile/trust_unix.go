//go:build unix

package safefile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// noFollow holds the flags that refuse a symbolic link and keep opening a pipe
	// from blocking.
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

// isInherited reports whether the process was started with a descriptor. Go opens
// all others with close-on-exec.
func isInherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// duplicate returns a duplicate of a descriptor of this process.
func duplicate(fd int, path string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	dup, err := syscall.Dup(fd)
	if err != nil {
		return nil, refuse(path, err)
	}
	syscall.CloseOnExec(dup)
	return os.NewFile(uintptr(dup), path), nil
}
