package main

import (
	"context"
	"io"
)

// untilDone returns r as a Reader whose Read ends with the cause of ctx when
// ctx is done, even while r itself waits for data that never comes. The
// goroutine that waits in r then stays until r returns: an os.File that is a
// terminal or a pipe can't be told to.
func untilDone(ctx context.Context, r io.Reader) io.Reader {
	front, back := io.Pipe()
	go func() {
		_, err := io.Copy(back, r)
		back.CloseWithError(err) // nil is the end of the file
	}()
	context.AfterFunc(ctx, func() { back.CloseWithError(context.Cause(ctx)) })
	return front
}
