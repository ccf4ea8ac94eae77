package main

import (
	"errors"
	"os"
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
		"unknown device":                  {"--device gpu", nil, exitUsage, "want cpu, cuda or cuda:N"},
		"invalid GPU number":              {"--device cuda:x", nil, exitUsage, "cuda:N"},
		"int8 on a GPU":                   {"--device cuda --precision int8", nil, exitUsage, "cuda:0 computes in float32"},
		"judge without a model":           {"--device cuda --judge lexical", nil, exitUsage, "--device"},
		"missing library":                 {"--device cuda --onnxruntime ./none.so", nil, exitFailure, "none.so"},
	} {
		t.Run(name, func(t *testing.T) {
			want := tt.want
			if tt.code == exitFailure && !loads() {
				want = "static and cannot load libraries: run the same command with ragfaith-ort"
			}
			args := strings.Fields("score - --to jsonl --judge " + dir + " " + tt.args)
			got := runInProcess(t, t.TempDir(), tt.env, args...)
			checkExit(t, got, tt.code, want)
		})
	}
}
