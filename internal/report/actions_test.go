package report

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestAnnotationIsOneCommand(t *testing.T) {
	a := Annotation{Level: "warning", Title: "a,b:c%\n::error::x", Message: "50%0A: ##[x]a,b\r\n::set-output name=x::y", File: "d,e::f.jsonl", Line: 3}
	want := "::warning file=d%2Ce%3A%3Af.jsonl,line=3,title=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax::50%250A: ## [x]a,b%0D%0A::set-output name=x::y"
	if got := a.Command(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w := feed(NewWorst(10), resulttest.WithMarkup(), hostileFailure(), resulttest.Scored())
	locate := func(file string, line int) (string, int) { return file, line }
	syntax := regexp.MustCompile(`^::warning (file=[^,:\r\n]*,)?(line=\d+,)?title=[^,:\r\n]*::[^\r\n]*$`)
	all := w.Annotations(locate)
	for i := range all {
		if command := all[i].Command(); !syntax.MatchString(command) {
			t.Errorf("got %q, want a match of %s", command, syntax)
		}
	}
	if len(all) != 3 || all[0].Title != "# EVIL: failed" || all[1].Title != "a: faithfulness 0.3333" || all[2].Line != 3 {
		t.Errorf("got %+v, want the failed row, then faithfulness 0.3333, then line 3", all)
	}
	g := GateAnnotation(&Gate{Name: GateMinMean, Text: "too low"})
	if got, want := g.Command(), "::error title=ragfaith --min-mean::too low"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestActionsGuardBreaksCommands(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x\n":                    ": :error::x\n",
		" \t::error::x":                   " \t: :error::x",
		"\u00a0::add-mask::x":             "\u00a0: :add-mask::x",
		"a ::error::x":                    "a ::error::x",
		"a\r::error::x\n:::x":             "a\r: :error::x\n: : :x",
		"a ##[error]x ###[x] ##\n[":       "a ## [error]x ### [x] ##\n[",
		"##vso[task.setvariable]x":        "##vso[task.setvariable]x",
		"12  einstein: 0.5\n13  a::b\n\n": "12  einstein: 0.5\n13  a::b\n\n",
	} {
		for _, size := range []int{1, 2, len(in)} { // bytes per write
			var b strings.Builder
			g := NewActionsGuard(&b)
			for rest := in; rest != ""; {
				n, err := g.Write([]byte(rest[:min(size, len(rest))]))
				if err != nil || n != min(size, len(rest)) {
					t.Fatalf("%q: got %d, %v, want a full write", in, n, err)
				}
				rest = rest[n:]
			}
			if d := cmp.Diff(want, b.String()); d != "" {
				t.Errorf("%q: %s", in, d)
			}
		}
	}
	if _, err := NewActionsGuard(&limitedWriter{2}).Write([]byte("long")); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
