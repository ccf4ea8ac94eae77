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

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Large weight files are sampled because hashing them in full takes seconds.
const (
	sampleBlocks = 64
	sampleBytes  = 4 << 10
)

// Fingerprint returns a hash that identifies the model in dir. It covers the configuration and
// tokenizer files, the size of the weight file and samples of its contents, but not their location.
// Samples are sufficient because training changes every weight.
func Fingerprint(dir string) (string, error) {
	weights, err := checkpoint.Find(dir)
	if err != nil {
		return "", err
	}
	files := []string{configFile, tokenizerFile, filepath.Base(weights)}
	for _, name := range []string{tokenizerConfigFile, modulesFile, sentenceConfigFile, filepath.Join(poolingDir, configFile)} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		if err := hashFile(h, dir, name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// hashFile writes the name, size and contents of a file to h. Of a large weight
// file, it writes only samples.
func hashFile(h io.Writer, dir, name string) error {
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
	if filepath.Ext(name) == ".json" || info.Size() <= sampleBlocks*sampleBytes {
		_, err = io.Copy(h, f)
		return err
	}
	block := make([]byte, sampleBytes)
	for i := range int64(sampleBlocks) {
		off := (info.Size() - sampleBytes) * i / (sampleBlocks - 1)
		n, err := f.ReadAt(block, off)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := h.Write(block[:n]); err != nil {
			return err
		}
	}
	return nil
}
