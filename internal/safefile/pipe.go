package safefile

import (
	"context"
	"io"
	"os"
)

// Interruptible returns a reader of r whose Read fails with the cause of ctx when ctx
// is done, even while r waits for data. The goroutine that reads r is then abandoned,
// because an os.File that is a terminal or a pipe can't be interrupted.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	front, back := io.Pipe()
	go func() {
		_, err := io.Copy(back, r)
		back.CloseWithError(err) // nil means io.EOF
	}()
	context.AfterFunc(ctx, func() { back.CloseWithError(context.Cause(ctx)) })
	return front
}

// OpenPipe returns a function that opens a named pipe or device for reading. Opening it waits for a
// writer, and reading it for data; both fail with the cause of ctx when ctx is done.
func OpenPipe(ctx context.Context) func(path string) (io.ReadCloser, error) {
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
			return struct {
				io.Reader
				io.Closer
			}{Interruptible(ctx, file), file}, nil
		}
	}
}
