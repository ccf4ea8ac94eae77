package extract

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "update the golden files")

// An annotatedAnswer is a model's answer with its expected claims and skipped
// sentences.
type annotatedAnswer struct {
	ID     string  `json:"id"`
	Source string  `json:"source"`
	Answer string  `json:"answer"`
	Pieces []piece `json:"pieces"`
}

// A piece is a claim or a skipped sentence.
type piece struct {
	Kind  Kind   `json:"kind"`
	Lead  string `json:"lead,omitempty"`
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// piecesOf returns the claims and skipped sentences in the order of the answer.
func piecesOf(e Extraction) []piece {
	var out []piece
	c, s := 0, 0
	for c < len(e.Claims) || s < len(e.Skipped) {
		if s == len(e.Skipped) || c < len(e.Claims) && e.Claims[c].Start < e.Skipped[s].Start {
			x := e.Claims[c]
			out = append(out, piece{Kind: "claim", Lead: x.Lead, Text: x.Text, Start: x.Start, End: x.End})
			c++
		} else {
			x := e.Skipped[s]
			out = append(out, piece{Kind: x.Kind, Text: x.Text, Start: x.Start, End: x.End})
			s++
		}
	}
	return out
}

func TestExtractGolden(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "answers.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var answers []annotatedAnswer
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		got := piecesOf(extract(t, a.Answer))
		if d := cmp.Diff(a.Pieces, got); d != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", a.ID, d)
		}
		answers[i].Pieces = got
	}
	if !*update {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(answers); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
