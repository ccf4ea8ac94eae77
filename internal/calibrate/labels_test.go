package calibrate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

func TestParseLabel(t *testing.T) {
	for text, want := range map[string]Label{
		"1": {1, false}, "0": {0, false}, " 1.0 ": {1, false}, "-2.5": {-2.5, false}, "1e1": {10, false}, "0.25": {0.25, false},
		"true": {1, true}, "FALSE": {0, true}, "Yes": {1, true}, "no": {0, true},
		"faithful": {1, true}, "Unfaithful": {0, true}, "not faithful": {0, true}, "hallucinated": {0, true},
	} {
		if got, err := ParseLabel(text); err != nil || got != want {
			t.Errorf("ParseLabel(%q): got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "null", "NaN", "None", "<NA>"} {
		if _, err := ParseLabel(text); !errors.Is(err, ErrNoLabel) {
			t.Errorf("ParseLabel(%q): got %v, want ErrNoLabel", text, err)
		}
	}
	for _, text := range []string{
		"maybe", "inf", "-Infinity", "0x1p-2", "1_000", "1,5", "[1]", `{"a":1}`, "1e999", "\x1b[31m", "½", "٣",
		strings.Repeat("1", 4000), strings.Repeat("faithful", 1<<17),
	} {
		_, err := ParseLabel(text)
		if err == nil || errors.Is(err, ErrNoLabel) {
			t.Errorf("ParseLabel(%.20q): got %v, want an unknown label", text, err)
		} else if len(err.Error()) > 250 {
			t.Errorf("ParseLabel(%.20q): got a message of %d bytes, want at most 250", text, len(err.Error()))
		}
	}
}

func FuzzParseLabel(f *testing.F) {
	for _, s := range []string{"1", "0.5", "yes", "", "nan", "-inf", "0x1", "1_0", "é", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLabel(s)
		if err == nil && (l.Value-l.Value != 0 || l.Word && l.Value != 0 && l.Value != 1) {
			t.Errorf("%q: %+v", s, l)
		}
	})
}

func TestReadLabels(t *testing.T) {
	for name, content := range map[string]string{
		"l.csv":   "who,id,ok\na,x,yes\nb,y,no\nc,7,\nd,x,yes\n",
		"l.tsv":   "sample_id\tok\nx\t1\ny\t0\n7\tnan\n",
		"l.jsonl": `{"id":"x","ok":true}` + "\n" + `{"_id":"y","ok":0,"score":NaN}` + "\n" + `{"id":7,"ok":null}` + "\n" + `{"id":"z"}` + "\n",
		"l.json":  `[{"id":"x","ok":"faithful"},{"id":"y","ok":"unfaithful"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			l := readLabels(t, name, content)
			for id, want := range map[string]float64{"x": 1, "y": 0} {
				if got, err := l.Lookup(id); err != nil || got == nil || got.Value != want {
					t.Errorf("Of(%q): got %v, %v, want %v", id, got, err, want)
				}
			}
			if got, err := l.Lookup("7"); got != nil || err != nil {
				t.Error(got, err)
			}
			if _, err := l.Lookup("x"); err == nil || !strings.Contains(err.Error(), `several rows have the id "x"`) {
				t.Error(err)
			}
			if s := l.Unused(); s != "" {
				t.Error(s)
			}
		})
	}
	l := readLabels(t, "n.jsonl", `{"id":5,"ok":1}`+"\n"+`{"id":"b","ok":1}`+"\n")
	if got, err := l.Lookup("5"); err != nil || got == nil {
		t.Error("numeric id: ", got, err)
	}
	if s := l.Unused(); !strings.HasSuffix(s, `n.jsonl: 1 of 2 labels match no row of the results; the first is that of "b"`) {
		t.Error(s)
	}
}

func readLabels(t *testing.T, name, content string) *Labels {
	t.Helper()
	l, err := ReadLabels(writeFile(t, name, content), "ok", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadLabelsReturnsErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, content, want string }{
		"unknown word":   {"l.csv", "id,ok\nx,yes\ny,perhaps\n", `l.csv:3: ok: unknown label "perhaps"`},
		"contradiction":  {"l.csv", "id,ok\nx,1\ny,1\nx,0\n", `l.csv:4: label of row "x" differs from line 2`},
		"missing id":     {"l.jsonl", `{"ok":1}` + "\n", `l.jsonl:1: label without an id`},
		"missing column": {"l.csv", "id,label\nx,1\n", `l.csv: no row has a column "ok"`},
		"invalid JSON":   {"l.jsonl", `{"id":"x","ok":1}` + "\n{\n", `l.jsonl:2: `},
		"not an object":  {"l.jsonl", "[1]\n", `l.jsonl:1: `},
		"empty":          {"l.jsonl", "", `l.jsonl`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadLabels(writeFile(t, c.file, c.content), "ok", dataset.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
