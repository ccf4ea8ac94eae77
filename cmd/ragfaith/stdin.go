package main

import (
	"context"
	"io"
	"os"
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

// pipesUntilDone returns a function that opens a named pipe or a device for
// reading. Opening it waits for a writer, and reading for data: both end with the
// cause of ctx when ctx is done. The goroutine that waits is abandoned then.
func pipesUntilDone(ctx context.Context) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		var file *os.File
		opened := make(chan error, 1)
		go func() {
			f, err := os.Open(path)
			file = f
			opened <- err
		}()
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case err := <-opened:
			if err != nil {
				return nil, err
			}
			return pipe{untilDone(ctx, file), file}, nil
		}
	}
}

// A pipe is read from its Reader and closed by its Closer.
type pipe struct {
	io.Reader
	io.Closer
}
