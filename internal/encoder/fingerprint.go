package encoder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// What of a file of weights goes into a fingerprint: so many blocks at equal
// distances, and its size. All of a large model takes seconds to read.
const (
	markedBlocks = 64
	markedBytes  = 4 << 10
)

// Fingerprint tells models apart: it is made of a folder's configuration and
// tokenizer with their settings, those of a sentence encoder's steps included, and
// of samples of its weights. Another place of the same files has the same one.
// Training changes every weight, so it changes the samples.
func Fingerprint(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	files := []string{configFile, tokenizerFile}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".safetensors" {
			files = append(files, e.Name())
		}
	}
	more := []string{tokenizerConfigFile, modulesFile, sentenceConfigFile}
	for _, e := range entries { // 1_Pooling and its like
		more = append(more, filepath.Join(e.Name(), configFile))
	}
	for _, name := range more {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		if err := mark(h, dir, name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// mark writes a file's name, its size and samples of it, or all of a small one.
func mark(h io.Writer, dir, name string) error {
	f, err := safefile.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%q %d\n", filepath.ToSlash(name), info.Size())
	if filepath.Ext(name) == ".json" || info.Size() <= markedBlocks*markedBytes {
		_, err = io.Copy(h, f)
		return err
	}
	block := make([]byte, markedBytes)
	for i := range int64(markedBlocks) {
		at := (info.Size() - markedBytes) * i / (markedBlocks - 1)
		n, err := f.ReadAt(block, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := h.Write(block[:n]); err != nil {
			return err
		}
	}
	return nil
}
