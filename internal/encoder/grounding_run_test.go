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

// testGroups returns the golden groups and one that needs several sequences.
func testGroups(t testing.TB) []Group {
	t.Helper()
	groups := readGroundingGolden(t).groups()
	long := Group{Window: groups[0].Window}
	for i := range 400 {
		long.Claims = append(long.Claims, fmt.Sprintf("The agency published %d findings in March.", i))
	}
	return append(groups, long)
}

func TestGroundingOutputDependsOnlyOnWindowAndClaim(t *testing.T) {
	groups := testGroups(t)
	for _, kernelName := range kernelNames() {
		for file, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
			one := tinyGrounding(t, file, Options{Kernel: kernelName, Threads: 1, Precision: precision})
			four := tinyGrounding(t, file, Options{Kernel: kernelName, Threads: 4, Precision: precision})
			m := &wordMatcher{pieces: one.pieces}
			last := groups[len(groups)-1]
			if seqs, err := one.buildSequences(m, &last, make([]ClaimOutput, len(last.Claims))); err != nil || len(seqs) < 3 {
				t.Fatalf("longest group: got %d sequences, %v, want at least 3", len(seqs), err)
			}
			batched, err := four.Judge(t.Context(), groups)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range groups {
				for j := 0; j < len(g.Claims); j += 1 + len(g.Claims)/20 {
					alone, err := one.Judge(t.Context(), []Group{{g.Window, g.Claims[j : j+1]}})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(batched[i][j], alone[0][0]); diff != "" {
						t.Fatalf("%s, %s: group %d, claim %d (-batched +alone)\n%s", kernelName, file, i, j, diff)
					}
				}
			}
		}
	}
}

func TestGroundingIsSafeForConcurrentUse(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{Threads: 2, Precision: kernel.Int8})
	groups := readGroundingGolden(t).groups()
	want, err := g.Judge(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{groups[0].Window, "x"}
	embeddings, err := g.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if i%2 == 0 {
				got, err := g.Judge(t.Context(), groups[i:])
				if diff := cmp.Diff(want[i:], got); err != nil || diff != "" {
					t.Errorf("got error %v, difference (-want +got)\n%s", err, diff)
				}
				return
			}
			got, err := g.Embed(t.Context(), texts)
			if err != nil || !slices.Equal(got[1], embeddings[1]) {
				t.Error("embeddings differ:", err)
			}
		})
	}
	wg.Wait()
}

func TestParseGroundingAcceptsUnalignedData(t *testing.T) {
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
				t.Errorf("%s, offset %d: error %v, outputs (-want +got)\n%s", file, shift, err, diff)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestGroundingPassDoesNotAllocate(t *testing.T) {
	for file, precision := range map[string]kernel.Precision{"float32": kernel.Float32, "int8": kernel.Int8} {
		g := tinyGrounding(t, file, Options{Threads: 1, Precision: precision})
		m := &wordMatcher{pieces: g.pieces}
		group := testGroups(t)[0]
		for len(group.Claims) < 60 {
			group.Claims = append(group.Claims, group.Claims...)
		}
		seqs, err := g.buildSequences(m, &group, make([]ClaimOutput, len(group.Claims)))
		if err != nil {
			t.Fatal(err)
		}
		tokens := 0
		runPass := func() {
			fill := func(b *batch) { b.addClaims(&seqs[0].tokenSequence); tokens = len(b.ids) }
			done := func(p *pass, hidden []float32) error { g.heads.run(p, hidden); return nil }
			if err := g.runPass(t.Context(), false, fill, done); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			runPass()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runPass()
		runtime.ReadMemStats(&after)
		// Allow for closures and the allocations of ReadMemStats.
		if allocated := after.TotalAlloc - before.TotalAlloc; tokens < 500 || allocated > 4<<10 {
			t.Errorf("%s: got %d bytes allocated for %d tokens, want at most 4 KiB for at least 500", file, allocated, tokens)
		}
	}
}

func TestGroundingStopsWhenContextIsCanceled(t *testing.T) {
	g := tinyGrounding(t, "float32", Options{Threads: 1})
	ctx, cancel := context.WithCancel(t.Context())
	g.pass.observe = func(stage string, _ []float32) {
		if stage == "layer.0" {
			cancel()
		}
	}
	groups := testGroups(t)
	if _, err := g.Judge(ctx, groups); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	if _, err := g.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	// With an observer, all tokens are computed, which must not change the output.
	want, err := tinyGrounding(t, "float32", Options{}).Judge(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	stages := 0
	g.pass.observe = func(string, []float32) { stages++ }
	got, err := g.Judge(t.Context(), groups)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || stages == 0 {
		t.Errorf("got %d stages, error %v, outputs (-want +got)\n%s", stages, err, diff)
	}
}

func TestGroundingFailsAfterClose(t *testing.T) {
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
		t.Errorf("got error %v, want %q", err, "closed")
	}
	if _, err := g.Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got error %v, want %q", err, "closed")
	}
}

func TestGroundingAcceptsEmptyInput(t *testing.T) {
	g := tinyGrounding(t, "int8", Options{})
	for _, groups := range [][]Group{nil, {}, {{Window: "a"}, {}}} {
		got, err := g.Judge(t.Context(), groups)
		if err != nil || len(got) != len(groups) {
			t.Errorf("got %v, error %v, want %d outputs", got, err, len(groups))
		}
		for _, outputs := range got {
			if len(outputs) != 0 {
				t.Errorf("no claims: got outputs %v, want none", outputs)
			}
		}
	}
	if got, err := g.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("got %v, error %v, want none", got, err)
	}
}
