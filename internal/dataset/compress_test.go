package dataset

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func TestTruncatedBzip2AndXz(t *testing.T) {
	for name, codec := range map[string]string{"members.jsonl.bz2": "bzip2", "members.jsonl.xz": "xz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for n := 12; n < len(data); n += 5 {
			rows, last := read(t, "x.jsonl", string(data[:n]), Options{})
			if last == "" {
				whole++ // cut between two of the four members
			} else if !strings.HasSuffix(last, "the "+codec+" data is cut off: unexpected EOF") {
				t.Fatalf("%s: %d bytes: got %d rows, last error %q, want one about cut data", name, n, len(rows), last)
			}
		}
		if whole > 3 {
			t.Errorf("%s: got %d lengths without an error, want at most 3", name, whole)
		}
		broken := bytes.Clone(data)
		broken[40] ^= 0xff
		if rows, last := read(t, "x.jsonl", string(broken), Options{}); len(rows) > 0 || !strings.HasPrefix(last, "x.jsonl: the "+codec+" data is broken: ") {
			t.Errorf("%s: got %d rows, last error %q, want one about broken data", name, len(rows), last)
		}
	}
}

func TestXzDictionaryIsLimited(t *testing.T) {
	// A row compressed with a dictionary of 1 GiB.
	data, err := hex.DecodeString("fd377a585a000004e6d6b44602002101240000005e1fc7f901001f7b22616e73776572223a2261222c22636f6e7465787473223a5b2278225d7d0a00d1e136695ff76f82000138201829770c1fb6f37d010000000004595a")
	if err != nil {
		t.Fatal(err)
	}
	size := allocated(func() {
		_, err = Open([]string{"-"}, Options{Stdin: bytes.NewReader(data)})
	})
	if err == nil || !strings.Contains(err.Error(), "dictionary size exceeds max") || size > 16<<20 {
		t.Errorf("got error %v, %d MiB allocated, want an error about the dictionary", err, size>>20)
	}
}
