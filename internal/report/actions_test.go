package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestActionsCommandIsOneCommand(t *testing.T) {
	g := Gate{Name: GateMinMean, Text: "50%0A: ##[x]a,b\r\n::set-output name=x::y"}
	want := "::error title=ragfaith --min-mean::50%250A: ## [x]a,b%0D%0A::set-output name=x::y"
	if got := g.ActionsCommand(); got != want {
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
