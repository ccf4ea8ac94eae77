package checkpoint

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDirectory limits how many bytes of the directory of a zip archive are read,
// and so the memory for its entries. Each tensor needs some hundred bytes.
const maxDirectory = 16 << 20

// maxShared limits the size of all tensors, in sizes of the file. Real models have
// embeddings that up to four tensors share.
const maxShared = 16

// A content is the content of a file.
type content struct {
	root     any
	storages map[string][]byte // data by key
	size     uint64            // number of bytes that tensors may still have
}

// readZip reads the format of PyTorch 1.6 and later: a zip archive of uncompressed
// files, of which NAME/data.pkl is a pickle, and NAME/data/KEY are storages. Files
// are only looked up by name; none is written.
func readZip(data []byte) (*content, error) {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil, errors.New("not a file written by torch.save of PyTorch 1.6 or later")
	}
	entries, err := zipEntries(data)
	if err != nil {
		return nil, fmt.Errorf("zip archive: %w", err)
	}
	var prefixes []string
	for name := range entries {
		if prefix, ok := strings.CutSuffix(name, "/data.pkl"); ok && !strings.Contains(prefix, "/") {
			prefixes = append(prefixes, prefix+"/")
		}
	}
	if len(prefixes) != 1 {
		return nil, fmt.Errorf("want one data.pkl in the zip archive, got %d", len(prefixes))
	}
	prefix := prefixes[0]
	if order, ok := entries[prefix+"byteorder"]; ok && string(order) != "little" {
		return nil, fmt.Errorf("byte order %.20q is not supported", order)
	}
	root, err := readPickle(entries[prefix+"data.pkl"])
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	c := &content{root: root, storages: make(map[string][]byte), size: maxShared * uint64(len(data))}
	for name, data := range entries {
		if key, ok := strings.CutPrefix(name, prefix+"data/"); ok {
			c.storages[key] = data
		}
	}
	return c, nil
}

// zipEntries returns the contents of the files in an archive by name. They must be
// stored without compression and within the archive.
func zipEntries(data []byte) (map[string][]byte, error) {
	r, err := zip.NewReader(&limitedReader{bytes.NewReader(data), maxDirectory}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	entries := make(map[string][]byte, len(r.File))
	for _, f := range r.File {
		const encrypted = 1
		if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 || f.Flags&encrypted != 0 {
			return nil, fmt.Errorf("%.100q is compressed or encrypted", f.Name)
		}
		if _, ok := entries[f.Name]; ok {
			return nil, fmt.Errorf("%.100q exists twice", f.Name)
		}
		start, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%.100q: %w", f.Name, err)
		}
		if start < 0 || start > int64(len(data)) || f.UncompressedSize64 > uint64(len(data))-uint64(start) {
			return nil, fmt.Errorf("%.100q exceeds the archive", f.Name)
		}
		entries[f.Name] = data[start:][:f.UncompressedSize64:f.UncompressedSize64]
	}
	return entries, nil
}

// A limitedReader fails after reading a number of bytes.
type limitedReader struct {
	io.ReaderAt
	left int
}

// ReadAt is the method of io.ReaderAt.
func (r *limitedReader) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > r.left {
		return 0, fmt.Errorf("directory is larger than %d bytes", maxDirectory)
	}
	r.left -= len(p)
	return r.ReaderAt.ReadAt(p, off)
}
