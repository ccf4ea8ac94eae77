package checkpoint

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// maxDirectory limits how many bytes of the directory of a zip archive are read,
// and so the memory for its entries. Each tensor needs some hundred bytes.
const maxDirectory = 16 << 20

func isZip(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// readZip reads the format of PyTorch 1.6 and later: a zip archive of uncompressed
// files, of which NAME/data.pkl is a pickle, and NAME/data/KEY are storages. Files
// are only looked up by name; none is written.
func readZip(data []byte) (*content, error) {
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
	p, _, err := readPickle(entries[prefix+"data.pkl"])
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	c := &content{pickle: *p, storages: make(map[string][]byte)}
	for name, data := range entries {
		if key, ok := strings.CutPrefix(name, prefix+"data/"); ok {
			c.storages[key] = data
		}
	}
	return c, nil
}

// zipEntries returns the contents of the files in an archive by name. They must be
// stored without compression, within the archive, and apart from each other.
func zipEntries(data []byte) (map[string][]byte, error) {
	r, err := zip.NewReader(&limitedReader{bytes.NewReader(data), maxDirectory}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	type section struct {
		name       string
		start, end uint64
	}
	entries := make(map[string][]byte, len(r.File))
	sections := make([]section, 0, len(r.File))
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
		s := section{f.Name, uint64(start), uint64(start) + f.UncompressedSize64}
		if start < 0 || s.end < s.start || s.end > uint64(len(data)) {
			return nil, fmt.Errorf("%.100q exceeds the archive", f.Name)
		}
		entries[f.Name] = data[s.start:s.end:s.end]
		if s.start < s.end {
			sections = append(sections, s)
		}
	}
	slices.SortFunc(sections, func(a, b section) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(sections); i++ {
		if a, b := sections[i-1], sections[i]; b.start < a.end {
			return nil, fmt.Errorf("%.100q and %.100q overlap", a.name, b.name)
		}
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

// legacyMagic is the start of a file in the format before PyTorch 1.6: the pickle
// of a long integer.
const legacyMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."

// legacyVersion is the version of the format that follows the magic number.
const legacyVersion = 1001

// readLegacy reads the format before PyTorch 1.6: pickles of a magic number, a
// version, a description of the system, the data, and the list of the keys of the
// storages. For each key, in this order, the number of values and the values
// follow.
func readLegacy(data []byte) (*content, error) {
	rest, ok := bytes.CutPrefix(data, []byte(legacyMagic))
	if !ok {
		return nil, errors.New("not a file written by torch.save")
	}
	var pickles [4]*pickle // version, system, data, keys
	for i := range pickles {
		var err error
		if pickles[i], rest, err = readPickle(rest); err != nil {
			return nil, err
		}
	}
	if pickles[0].root != any(int64(legacyVersion)) {
		return nil, fmt.Errorf("want version %d of the format of torch.save", legacyVersion)
	}
	system, err := members(pickles[1].root)
	if err != nil {
		return nil, err
	}
	if system["little_endian"] != any(true) {
		return nil, errors.New("big-endian byte order is not supported")
	}
	keys, ok := pickles[3].root.(*object)
	if !ok || keys.class != listClass {
		return nil, errors.New("want a list of storages")
	}
	c := &content{pickle: *pickles[2], storages: make(map[string][]byte)}
	return c, c.readStorages(keys.items, rest)
}

// readStorages reads the storages with the given keys from data.
func (c *content) readStorages(keys []any, data []byte) error {
	widths := make(map[string]uint64)
	for _, o := range c.persistent {
		s, err := parseStorage(o)
		if err != nil {
			return err
		}
		widths[s.key] = s.width
	}
	for _, key := range keys {
		name, _ := key.(string)
		width, ok := widths[name]
		if !ok {
			return fmt.Errorf("unknown storage %.40q", name)
		}
		if len(data) < 8 {
			return errTruncated
		}
		high, size := bits.Mul64(binary.LittleEndian.Uint64(data), width)
		data = data[8:]
		if high > 0 || size > uint64(len(data)) {
			return fmt.Errorf("storage %.40q: %w", name, errTruncated)
		}
		c.storages[name], data = data[:size:size], data[size:]
	}
	return nil
}
