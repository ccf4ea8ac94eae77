//go:build unix

package regular

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// NoFollow are the flags with which a symbolic link is not followed, and
	// opening a pipe does not block.
	NoFollow = syscall.O_NOFOLLOW | nonBlock

	nonBlock    = syscall.O_NONBLOCK
	knowsOwners = true
)

// hardLinks counts the names of a file.
func hardLinks(_ *os.File, info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// trusted reports whether the owner of something in a directory is trusted, as the
// package documents it.
func trusted(info fs.FileInfo, dir string) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || int(stat.Uid) == os.Geteuid() {
		return true
	}
	parent, err := os.Stat(dir)
	if err != nil {
		return false
	}
	above, ok := parent.Sys().(*syscall.Stat_t)
	return ok && above.Uid == stat.Uid || parent.Mode().Perm()&0o022 == 0
}

// inherited reports whether the process was started with a descriptor: everything
// that Go opens is closed in other programs.
func inherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// duplicate opens a descriptor of this process once more.
func duplicate(fd int, path string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	again, err := syscall.Dup(fd)
	if err != nil {
		return nil, refuse(path, err)
	}
	syscall.CloseOnExec(again)
	return os.NewFile(uintptr(again), path), nil
}
