package main

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestSizeUnits(t *testing.T) {
	t.Parallel()
	var n int
	for text, want := range map[string]int{"1": 1, "512b": 512, "2k": 2048, "2KB": 2048, "3MiB": 3 << 20, "1G": 1 << 30} {
		if err := (size{&n}).Set(text); err != nil || n != want {
			t.Errorf("%s: got %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "k", "1.5M", "1T", "1MM", "99999999999G"} {
		if err := (size{&n}).Set(text); err == nil {
			t.Errorf("%s: got %d, want an error", text, n)
		}
	}
	for n, want := range map[int]string{5: "5", 2048: "2KiB", 256 << 20: "256MiB", 1 << 40: "1024GiB", 0: "0"} {
		if got := (size{&n}).String(); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestFlagsFromEnvironment(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"input-format": "csv", "map": "id=a,answer=b", "keep": "x,y", "limit": "1", "sample": "2", "seed": "3", "shard": "2/3",
		"max-row-bytes": "4KiB", "lang": "de", "claims": "sentence", "judge": "lexical", "evidence": "joined", "threshold": "0.25", "calibration": "cal.json",
		"no-claims": "1", "concurrency": "5", "row-timeout": "2m", "to": "csv", "output": "a.csv,b.csv", "resume": "true", "verbose": "true", "quiet": "true", "no-progress": "true",
		"min-mean": "0.5", "max-failed": "6", "max-no-claims": "0.3", "help": "true", "dry-run": "true",
		"profile": "ragas", "model": "m", "base-url": "http://localhost/v1", "api-key-env": "KEY", "timeout": "1m30s", "retries": "7", "rpm": "8",
		"tpm": "9", "max-cost": "1.5", "max-total-tokens": "10", "price": "0.5,2", "prompts": "dir", "strict": "true", "votes": "3",
		"max-context-tokens": "11", "cache": "folder", "no-cache": "true", "semantic-cache": "true", "semantic-threshold": "0.9",
		"embed-model": "e", "embed-base-url": "http://localhost/v2", "embed-api-key-env": "EMBED",
		"cluster": "topic", "min-lower": "0.4", "min-citation-recall": "0.7", "min-citation-precision": "0.6",
		"batch": "true", "batch-poll": "1m", "summary": "run.json", "github": "off", "show": "4",
		"model-batch-size": "12", "device": "cuda:1", "onnxruntime": "library", "label-map": "a=supported", "models": "folder", "precision": "int8", "model-file": "m.safetensors",
	}
	cmd := newScore(system{})
	lookup := func(name string) (string, bool) {
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "RAGFAITH_")), "_", "-")
		v, ok := values[flag]
		if !ok {
			t.Errorf("test has no value for %s", name)
		}
		return v, ok
	}
	if err := fromEnvironment(cmd.Flags(), lookup); err != nil {
		t.Fatal(err)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		got := strings.Trim(f.Value.String(), "[]")
		if f.Name != "help" && got != values[f.Name] {
			t.Errorf("%s: got %s", f.Name, got)
		}
	})
}

func TestInvalidDurationsAndPrices(t *testing.T) {
	t.Parallel()
	var d time.Duration
	for text, want := range map[string]string{"1h": "1h", "90s": "1m30s", "2m": "2m", "1h30m": "1h30m", "500ms": "500ms", "10s": "10s"} {
		s := atLeastDuration(&d, time.Minute, time.Millisecond)
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("%s: got %s, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "5", "0s", "-1s", "soon"} {
		if err := atLeastDuration(&d, time.Minute, time.Millisecond).Set(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, d)
		}
	}
	var usd float64
	if err := (dollars{&usd}).Set("$2.50"); err != nil || usd != 2.5 {
		t.Error(usd, err)
	}
	var both *[2]float64
	if err := (prices{&both}).Set("0.15, 0.60"); err != nil || *both != [2]float64{0.15, 0.6} {
		t.Error(both, err)
	}
	for _, text := range []string{"", "1", "1,", "-1,2", "1,2,3", "NaN,1", "1,Inf", "a,b"} {
		if err := (prices{&both}).Set(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, *both)
		}
		if err := (dollars{&usd}).Set(text); err == nil && text != "1" {
			t.Errorf("%q: got %v, want an error", text, usd)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	known := []string{"threshold", "to", "min-mean", "max-failed"}
	for word, want := range map[string]string{"treshold": "threshold", "min-maen": "min-mean", "maxfailed": "max-failed", "xyzzy": "", "": ""} {
		if got := nearest(word, known); got != want {
			t.Errorf("%s: got %q", word, got)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Error(d)
	}
}
