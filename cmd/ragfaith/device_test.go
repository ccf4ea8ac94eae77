package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// loads reports whether this build can load shared libraries.
func loads() bool {
	_, err := ort.Open(os.DevNull)
	return !errors.Is(err, ort.ErrStatic)
}

func TestDeviceFlags(t *testing.T) {
	t.Parallel()
	dir := writeModel(t, t.TempDir(), nli...)
	for name, tt := range map[string]struct {
		args string
		env  map[string]string
		code int
		want string
	}{
		"cpu":                             {"--device cpu", nil, exitOK, ""},
		"cpu with library in environment": {"--device cpu", map[string]string{"RAGFAITH_ONNXRUNTIME": "/nowhere"}, exitOK, ""},
		"cpu with library flag":           {"--device cpu --onnxruntime /nowhere", nil, exitUsage, "--onnxruntime has no effect on --device cpu"},
		"unknown device":                  {"--device gpu", nil, exitUsage, "want cpu, ort-cpu, cuda or cuda:N"},
		"invalid GPU number":              {"--device cuda:x", nil, exitUsage, "cuda:N"},
		"int8 on ort-cpu":                 {"--device ort-cpu --precision int8", nil, exitUsage, "ort-cpu computes in float32"},
		"int8 on a GPU":                   {"--device cuda --precision int8", nil, exitUsage, "cuda:0 computes in float32"},
		"judge without a model":           {"--device ort-cpu --judge lexical", nil, exitUsage, "--device"},
		"missing library":                 {"--device ort-cpu --onnxruntime ./none.so", nil, exitFailure, "none.so"},
	} {
		t.Run(name, func(t *testing.T) {
			want := tt.want
			if tt.code == exitFailure && !loads() {
				want = "static and cannot load libraries: run the same command with ragfaith-ort"
			}
			args := strings.Fields("score - --to jsonl --judge " + dir + " " + tt.args)
			got := runInProcess(t, t.TempDir(), tt.env, args...)
			if got.code != tt.code || !strings.Contains(got.stderr, want) {
				t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, tt.code, got.stderr)
			}
		})
	}
}

// TestDeviceWithRuntime checks that ONNX Runtime yields the same scores as the CPU kernels.
func TestDeviceWithRuntime(t *testing.T) {
	t.Parallel()
	library := os.Getenv("RAGFAITH_ONNXRUNTIME")
	switch {
	case library == "":
		t.Skip("RAGFAITH_ONNXRUNTIME is not set; scripts/fetch-onnxruntime.sh downloads the library")
	case !loads():
		t.Skip("built without the tag ort")
	}
	dir := writeModel(t, t.TempDir(), nli...)
	env := map[string]string{"RAGFAITH_ONNXRUNTIME": library}
	scores := func(args ...string) []float64 {
		got := runInProcess(t, t.TempDir(), env, append([]string{"score", "-", "--judge", dir, "--to", "jsonl", "-v"}, args...)...)
		if got.code != exitOK {
			t.Fatalf("exit code: got %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
		}
		if len(args) > 0 && !strings.Contains(got.stderr, "ONNX Runtime 1.") {
			t.Errorf("no ONNX Runtime version in %q", got.stderr)
		}
		var all []float64
		for line := range strings.Lines(got.stdout) {
			var row struct{ Claims []struct{ Score float64 } }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			for _, c := range row.Claims {
				all = append(all, c.Score)
			}
		}
		return all
	}
	want, got := scores(), scores("--device", "ort-cpu")
	if one := scores("--device", "ort-cpu", "--concurrency", "1"); !slices.Equal(one, got) {
		t.Errorf("--concurrency changes %v to %v", got, one)
	}
	if len(got) != len(want) || len(want) != 2 {
		t.Fatalf("got %d claims, and %d without the library; want 2", len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-5 {
			t.Errorf("claim %d: got %v, want %v", i, got[i], want[i])
		}
	}
	got2 := runInProcess(t, t.TempDir(), env, "score", "-", "--judge", dir, "--device", "cuda:0")
	if got2.code != exitFailure || !strings.Contains(got2.stderr, "install onnxruntime-gpu") {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got2.code, exitFailure, got2.stderr)
	}
}
