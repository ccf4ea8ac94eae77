package encoder

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

func TestOpenGroundingRejectsInvalidFiles(t *testing.T) {
	replace := func(key, old, new string) func(w *modelFile) {
		return func(w *modelFile) {
			if !strings.Contains(w.meta[key], old) {
				t.Errorf("%s has no %q", key, old)
			}
			w.meta[key] = strings.Replace(w.meta[key], old, new, 1)
		}
	}
	without := func(name string) func(w *modelFile) { return func(w *modelFile) { delete(w.tensors, name) } }
	cut := func(name string) func(w *modelFile) {
		return func(w *modelFile) {
			x := w.tensors[name]
			x.shape = slices.Clone(x.shape)
			bytes := len(x.data) / x.shape[0]
			x.shape[0]--
			x.data = x.data[:len(x.data)-bytes]
			w.tensors[name] = x
		}
	}
	tests := []struct {
		name string
		file string
		edit func(w *modelFile)
		want []string
	}{
		{"other format", "int8", replace("format", "ragfaith-grounding", "pt"), []string{`format is "pt"`, "training/export.py"}},
		{"no format", "int8", func(w *modelFile) { delete(w.meta, "format") }, []string{`format is ""`}},
		{"other version", "int8", replace("version", "1", "2"), []string{`version "2"`, "want 1", "training/export.py"}},
		{"no config", "int8", func(w *modelFile) { delete(w.meta, "config") }, []string{"missing metadata config"}},
		{"no checksum", "int8", func(w *modelFile) { delete(w.meta, "sha256") }, []string{"missing metadata sha256"}},
		{"config is not JSON", "int8", replace("config", "{", ""), []string{"config"}},
		{"config without hidden_size", "int8", replace("config", `"hidden_size"`, `"size"`), []string{"hidden_size", "missing"}},
		{"width too large", "int8", replace("config", `"hidden_size":24`, `"hidden_size":1000000000`), []string{"hidden_size"}},
		{"other width", "int8", replace("config", `"hidden_size":24`, `"hidden_size":48`), []string{`"word.weight"`, "shape"}},
		{"heads do not divide width", "int8", replace("config", `"num_attention_heads":2`, `"num_attention_heads":5`), []string{"num_attention_heads"}},
		{"more layers", "int8", replace("config", `"num_hidden_layers":2`, `"num_hidden_layers":3`), []string{`"blocks.2.qkv.weight"`, "missing"}},
		{"more words", "int8", replace("config", `"vocab_size":`, `"vocab_size":1`), []string{`"word.weight"`, "shape"}},
		{"too few positions", "int8", replace("config", `"max_position_embeddings":355`, `"max_position_embeddings":354`), []string{"max_position_embeddings", "355"}},
		{"unsupported activation", "int8", replace("config", `"hidden_act":"gelu"`, `"hidden_act":"swiglu"`), []string{"hidden_act"}},
		{"other layout", "int8", replace("layout", `"max_claim":96`, `"max_claim":128`), []string{"max_claim", "trained with 128", "want 96"}},
		{"layout without akin_prefix", "int8", replace("layout", `"akin_prefix"`, `"prefix"`), []string{"layout: akin_prefix"}},
		{"no tokenizer", "int8", without("tokenizer"), []string{`missing tensor "tokenizer"`}},
		{"invalid tokenizer", "int8", func(w *modelFile) { w.put("tokenizer", "U8", []int{2}, []byte("{}")) }, []string{"tokenizer: ", "model"}},
		{"tokenizer of wrong type", "int8", func(w *modelFile) { w.put("tokenizer", "I8", []int{2}, []byte("{}")) }, []string{`"tokenizer" has type I8`}},
		{"tokenizer without [SEP]", "int8", func(w *modelFile) {
			x := w.tensors["tokenizer"]
			x.data = bytes.ReplaceAll(x.data, []byte("[SEP]"), []byte("[SEQ]"))
			w.tensors["tokenizer"] = x
		}, []string{"[SEP]", "102"}},
		{"missing head", "int8", without("token.weight"), []string{`"token.weight": missing`}},
		{"misshapen weights", "int8", cut("blocks.1.down.weight"), []string{`"blocks.1.down.weight"`, "shape"}},
		{"misshapen float32 weights", "float32", cut("blocks.0.qkv.bias"), []string{`"blocks.0.qkv.bias"`, "shape"}},
		{"missing scales", "int8", without("word.weight.scale"), []string{`"word.weight.scale": missing`}},
		{"misshapen scales", "int8", cut("blocks.0.up.weight.scale"), []string{`"blocks.0.up.weight.scale"`, "shape"}},
		{"misshapen smooth", "int8", cut("blocks.0.up.smooth"), []string{`"blocks.0.up.smooth"`, "shape"}},
		{"int8 bias", "int8", func(w *modelFile) { w.put("token.bias", "I8", []int{1}, []byte{1}) }, []string{`"token.bias": want type`, "got I8"}},
		{"integer bias", "int8", func(w *modelFile) { w.put("token.bias", "I32", []int{1}, make([]byte, 4)) }, []string{`"token.bias": want type`, "got I32"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := copyFile(t, tinyFile(t, tt.file))
			tt.edit(w)
			_, sealed := w.meta["sha256"]
			path := filepath.Join(t.TempDir(), "bad.safetensors")
			data := w.bytes(t, sealed)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
				g, err := OpenGrounding(path, Options{Precision: precision})
				if err == nil {
					g.Close()
					t.Fatal("got no error")
				}
				for _, want := range append(tt.want, "bad.safetensors") {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("got error %q, want %q", err, want)
					}
				}
			}
		})
	}
	if _, err := OpenGrounding(filepath.Join(t.TempDir(), "none"), Options{}); !os.IsNotExist(err) {
		t.Errorf("got error %v, want one that satisfies os.IsNotExist", err)
	}
	_, err := ParseGrounding(tinyFile(t, "int8"), Options{Device: ort.Device{Provider: ort.CUDA}})
	if err == nil || !strings.Contains(err.Error(), "do not support device") {
		t.Errorf("got error %v, want %q", err, "do not support device")
	}
}

func TestParseGroundingRejectsDamagedFiles(t *testing.T) {
	whole := tinyFile(t, "int8")
	header := int(binary.LittleEndian.Uint64(whole)) + 8
	for at := header; at < len(whole); at += 997 {
		data := slices.Clone(whole)
		data[at] ^= 4
		_, err := ParseGrounding(data, Options{})
		if err == nil {
			t.Fatalf("byte %d changed: got no error, want one", at)
		}
		if !strings.Contains(err.Error(), "file is damaged") || !strings.Contains(err.Error(), "download it again") {
			t.Errorf("byte %d: got error %q, want one that suggests another download", at, err)
		}
	}
	w := copyFile(t, whole)
	w.meta["verdict"] = strings.Replace(w.meta["verdict"], "0.25", "0.35", 1)
	if _, err := ParseGrounding(w.bytes(t, false), Options{}); err == nil || !strings.Contains(err.Error(), "file is damaged") {
		t.Error("other verdict: got error", err)
	}
	for n := 0; n < len(whole); n += 1009 {
		if _, err := ParseGrounding(whole[:n:n], Options{}); err == nil {
			t.Errorf("%d of %d bytes: got no error, want one", n, len(whole))
		}
	}
}

func TestJudgeRejectsNaNOutput(t *testing.T) {
	for name, what := range map[string]string{"classes.bias": "group 1: claim 0", "token.bias": "group 1: claim 0"} {
		w := copyFile(t, tinyFile(t, "int8"))
		x := w.tensors[name]
		x.data = slices.Clone(x.data)
		binary.LittleEndian.PutUint32(x.data, math.Float32bits(float32(math.NaN())))
		w.tensors[name] = x
		g, err := ParseGrounding(w.bytes(t, true), Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Judge(t.Context(), []Group{{}, {"a", []string{"b"}}})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "not a number") {
			t.Errorf("%s: got error %v, want %q", name, err, "not a number")
		}
	}
}

// FuzzParseGrounding corrects the checksum of its input, so that the code after
// the check is fuzzed too.
func FuzzParseGrounding(f *testing.F) {
	for _, file := range []string{"int8", "float32"} {
		f.Add(tinyFile(f, file), file == "int8")
	}
	f.Fuzz(func(t *testing.T, data []byte, quantized bool) {
		file, err := safetensors.Parse("fuzzed", data)
		if err != nil {
			return
		}
		grounding, err := readGrounding(file, "fuzzed")
		if err != nil {
			return
		}
		grounding.meta["sha256"] = grounding.sum()
		o := Options{Threads: 1}
		if quantized {
			o.Precision = kernel.Int8
		}
		g, err := grounding.load(o)
		if err != nil {
			return
		}
		defer g.Close()
		_, _ = g.Judge(t.Context(), []Group{{"The committee directed it.", []string{"It directs.", ""}}})
	})
}
