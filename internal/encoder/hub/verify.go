package hub

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

// Verify reads all files of a model again and returns what is wrong with them,
// one error a file. Seen, if it is not nil, is told of the bytes read. The error
// is that of ctx.
func (m *Model) Verify(ctx context.Context, seen func(n int64)) ([]*WrongError, error) {
	var wrong []*WrongError
	for _, f := range m.Files {
		reason, err := f.verify(ctx, m.Dir, seen)
		if err != nil {
			return wrong, err
		}
		if reason != "" {
			wrong = append(wrong, &WrongError{f.Name, reason})
		}
	}
	return wrong, nil
}

// verify tells what is wrong with a file; an empty text for nothing.
func (f *File) verify(ctx context.Context, dir string, seen func(n int64)) (string, error) {
	if f.SHA256+f.blob == "" {
		return "there is no checksum to hold it against", nil
	}
	d, err := digestFile(ctx, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Size, f.SHA256 == "", seen)
	pathError, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return d.check(f.SHA256, f.blob), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return "it is missing", nil
	case isPath:
		return pathError.Err.Error(), nil
	}
	return err.Error(), nil
}
