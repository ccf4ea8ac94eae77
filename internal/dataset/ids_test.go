package dataset

import (
	"fmt"
	"strconv"
	"testing"
)

func TestIDsAreCheckedUpToALimit(t *testing.T) {
	s := newIDSet()
	var got []string
	for i := range maxIDs + 2 {
		if err := s.check(&Row{ID: strconv.Itoa(i), File: "x", Line: i}); err != nil {
			got = append(got, err.Error())
		}
	}
	if want := fmt.Sprintf("[x:%d: %d ids so far: later ones are not checked for duplicates]", maxIDs, maxIDs); fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestIDsOfPandasAreWhole(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"x.jsonl": `{"id":1.0,"answer":"a","contexts":["x"]}
{"id":2.0,"answer":"a","contexts":["x"]}
{"id":null,"answer":"a","contexts":["x"]}
{"id":1.5,"answer":"a","contexts":["x"]}`,
		"y.jsonl": `{"id":1.0,"output":{"answer":"a","contexts":["x y"]}}
{"id":2.0,"output":{"answer":"a","contexts":["x y"]}}
{"id":null,"output":{"answer":"a","contexts":["x y"]}}
{"id":1.5,"output":{"answer":"a","contexts":["x y"]}}`,
		"x.csv": "id,answer,contexts\n1.0,a,x\n2.0,a,x\n,a,x\n1.5,a,x\n",
	} {
		rows, last := read(t, file, text, Options{})
		var got []string
		for _, r := range rows {
			got = append(got, r.Row.ID)
		}
		if want := "[1 2 row-2 1.5]"; fmt.Sprint(got) != want || last != "" {
			t.Errorf("%s: got ids %v, last error %q, want %s", file, got, last, want)
		}
	}
}
