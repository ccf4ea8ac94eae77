package llm

import "golang.org/x/sys/unix"

// setLock is the fcntl command for locks that belong to an open file.
const setLock = unix.F_OFD_SETLK
