package encoder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// lawGroups are groups of all kinds, one of them too long for one sequence.
func lawGroups(t testing.TB) []Group {
	t.Helper()
	groups := readGroundingGolden(t).groups()
	long := Group{Window: groups[0].Window}
	for i := range 400 {
		long.Claims = append(long.Claims, fmt.Sprintf("The agency published %d findings in March.", i))
	}
	return append(groups, long)
}

// What comes out for a claim is the same to the last bit whatever it is computed
// with, by however many threads, in float32 and in int8.
func TestHeldClaimsDependOnTheirWindowAlone(t *testing.T) {
	groups := lawGroups(t)
	for _, kernelName := range kernelNames() {
		for file, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
			one := tinyGrounding(t, file, Options{Kernel: kernelName, Threads: 1, Precision: precision})
			four := tinyGrounding(t, file, Options{Kernel: kernelName, Threads: 4, Precision: precision})
			m := &marks{pieces: one.pieces}
			last := groups[len(groups)-1]
			if parts, err := one.lay(m, &last, make([]Held, len(last.Claims))); err != nil || len(parts) < 3 {
				t.Fatalf("the longest group is %d sequences (%v), want some", len(parts), err)
			}
			together, err := four.Judge(t.Context(), groups)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range groups {
				for j := 0; j < len(g.Claims); j += 1 + len(g.Claims)/20 {
					alone, err := one.Judge(t.Context(), []Group{{g.Window, g.Claims[j : j+1]}})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(together[i][j], alone[0][0]); diff != "" {
						t.Fatalf("%s, %s: group %d, claim %d (-together +alone)\n%s", kernelName, file, i, j, diff)
					}
				}
			}
		}
	}
}

// Many goroutines may judge and embed at once.
func TestAGroundingIsSharedByGoroutines(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{Threads: 2, Precision: kernel.Int8})
	groups := readGroundingGolden(t).groups()
	want, err := g.Judge(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{groups[0].Window, "x"}
	embedded, err := g.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				got, err := g.Judge(t.Context(), groups[i:])
				if diff := cmp.Diff(want[i:], got); err != nil || diff != "" {
					t.Error(err, diff)
				}
				return
			}
			got, err := g.Embed(t.Context(), texts)
			if err != nil || !slices.Equal(got[1], embedded[1]) {
				t.Error("embeddings differ", err)
			}
		})
	}
	all.Wait()
}

// A file in memory gives the same wherever it lies.
func TestAGroundingIsReadFromAnyAddress(t *testing.T) {
	groups := readGroundingGolden(t).groups()
	for file, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
		want, err := tinyGrounding(t, file, Options{Precision: precision}).Judge(t.Context(), groups)
		if err != nil {
			t.Fatal(err)
		}
		data := tinyFile(t, file)
		for shift := range 4 {
			g, err := ParseGrounding(append(make([]byte, shift, shift+len(data)), data...)[shift:], Options{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Judge(t.Context(), groups)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, off by %d bytes: %v\n%s", file, shift, err, diff)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A pass takes no memory for its tokens.
func TestAGroundingPassTakesNoMemory(t *testing.T) {
	for file, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
		g := tinyGrounding(t, file, Options{Threads: 1, Precision: precision})
		m := &marks{pieces: g.pieces}
		group := lawGroups(t)[0]
		for len(group.Claims) < 60 {
			group.Claims = append(group.Claims, group.Claims...)
		}
		parts, err := g.lay(m, &group, make([]Held, len(group.Claims)))
		if err != nil {
			t.Fatal(err)
		}
		tokens := 0
		once := func() {
			fill := func(b *batch) { b.addGroup(&parts[0].group); tokens = len(b.ids) }
			done := func(p *pass, hidden []float32) error { g.heads.run(p, hidden); return nil }
			if err := g.once(t.Context(), false, fill, done); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			once()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		once()
		runtime.ReadMemStats(&after)
		// A few functions and what the counting itself takes.
		if taken := after.TotalAlloc - before.TotalAlloc; tokens < 500 || taken > 4<<10 {
			t.Errorf("%s: %d tokens take %d bytes", file, tokens, taken)
		}
	}
}

func TestAGroundingStopsBetweenLayers(t *testing.T) {
	g := tinyGrounding(t, "float32", Options{Threads: 1})
	ctx, cancel := context.WithCancel(t.Context())
	g.pass.observe = func(stage string, _ []float32) {
		if stage == "layer.0" {
			cancel()
		}
	}
	groups := lawGroups(t)
	if _, err := g.Judge(ctx, groups); !errors.Is(err, context.Canceled) {
		t.Error("error", err)
	}
	if _, err := g.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Error("error", err)
	}
	// All tokens are computed where they are observed, to the same end.
	want, err := tinyGrounding(t, "float32", Options{}).Judge(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	stages := 0
	g.pass.observe = func(string, []float32) { stages++ }
	got, err := g.Judge(t.Context(), groups)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || stages == 0 {
		t.Errorf("%d stages, error %v\n%s", stages, err, diff)
	}
}

func TestAClosedGroundingSaysSo(t *testing.T) {
	g, err := ParseGrounding(tinyFile(t, "int8"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := g.Judge(t.Context(), []Group{{"a", []string{"b"}}}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error("error", err)
	}
	if _, err := g.Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error("error", err)
	}
}

// Nothing to judge is nothing judged.
func TestAGroundingJudgesNothing(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	for _, groups := range [][]Group{nil, {}, {{Window: "a"}, {}}} {
		got, err := g.Judge(t.Context(), groups)
		if err != nil || len(got) != len(groups) {
			t.Errorf("%v, error %v", got, err)
		}
		for _, held := range got {
			if len(held) != 0 {
				t.Errorf("%v of no claims", held)
			}
		}
	}
	if got, err := g.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("%v, error %v", got, err)
	}
}
