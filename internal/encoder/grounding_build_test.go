package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

// A modelFile is a model file to be modified by a test.
type modelFile struct {
	meta    map[string]string
	names   []string
	tensors map[string]modelTensor
}

type modelTensor struct {
	dtype string
	shape []int
	data  []byte
}

// copyFile returns a modelFile with the contents of data.
func copyFile(t testing.TB, data []byte) *modelFile {
	t.Helper()
	file, err := safetensors.Parse("copy", data)
	if err != nil {
		t.Fatal(err)
	}
	w := &modelFile{meta: make(map[string]string), tensors: make(map[string]modelTensor)}
	for _, key := range []string{"format", "version", "config", "layout", "verdict", "sha256"} {
		if text, ok := file.Metadata(key); ok {
			w.meta[key] = text
		}
	}
	var header map[string]struct {
		DType   string `json:"dtype"`
		Offsets [2]int `json:"data_offsets"`
		Shape   []int
	}
	n := binary.LittleEndian.Uint64(data)
	text := bytes.Replace(data[8:8+n], []byte(`"__metadata__":{`), []byte(`"__metadata__":{"shape":[],`), 1)
	if err := json.Unmarshal(text, &header); err != nil {
		t.Fatal(err)
	}
	for _, name := range file.Names() {
		h := header[name]
		w.put(name, h.DType, h.Shape, file.Data()[h.Offsets[0]:h.Offsets[1]])
	}
	return w
}

func (w *modelFile) put(name, dtype string, shape []int, data []byte) {
	if _, ok := w.tensors[name]; !ok {
		w.names = append(w.names, name)
	}
	w.tensors[name] = modelTensor{dtype, shape, data}
}

// bytes encodes the file. If seal is set, it updates the checksum.
func (w *modelFile) bytes(t testing.TB, seal bool) []byte {
	t.Helper()
	header := map[string]any{"__metadata__": w.meta}
	var data []byte
	for _, name := range w.names {
		tensor, ok := w.tensors[name]
		if !ok {
			continue
		}
		start := len(data)
		data = append(data, tensor.data...)
		header[name] = map[string]any{"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": []int{start, len(data)}}
	}
	if seal {
		sum := sha256.Sum256(append([]byte(w.meta["config"]+"\x00"+w.meta["layout"]+"\x00"+w.meta["verdict"]+"\x00"), data...))
		w.meta["sha256"] = hex.EncodeToString(sum[:])
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

// largeModel returns a model with random weights, the sizes of MiniLM-L6 and the
// tokenizer of the tiny model.
func largeModel(t testing.TB, quantized bool) []byte {
	t.Helper()
	const vocabulary, width, inner, layers, positions = 30522, 384, 1536, 6, 512
	w := copyFile(t, tinyFile(t, "float32"))
	w.meta["config"] = fmt.Sprintf(`{"vocab_size":%d,"hidden_size":%d,"intermediate_size":%d,"num_hidden_layers":%d,"num_attention_heads":12,"max_position_embeddings":%d,"layer_norm_eps":1e-12}`,
		vocabulary, width, inner, layers, positions)
	tokenizer := w.tensors[tokenizerTensor]
	w.names, w.tensors = nil, make(map[string]modelTensor)
	r := rand.New(rand.NewPCG(3, 4))
	floats := func(name string, middle float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]byte, 0, 4*n)
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(middle+r.Float64()/10-0.05)))
		}
		w.put(name, "F32", shape, data)
	}
	var putInt8 []func()
	matrix := func(name string, rows, columns int) {
		if !quantized {
			floats(name, 0, rows, columns)
			return
		}
		floats(name+".scale", 0.0004, rows)
		putInt8 = append(putInt8, func() {
			data := make([]byte, rows*columns)
			for i := range data {
				data[i] = byte(int8(r.IntN(255) - 127))
			}
			w.put(name, "I8", []int{rows, columns}, data)
		})
	}
	linear := func(name string, out, in int) {
		matrix(name+".weight", out, in)
		floats(name+".bias", 0, out)
	}
	norm := func(name string) {
		floats(name+".weight", 1, width)
		floats(name+".bias", 0, width)
	}
	matrix("word.weight", vocabulary, width)
	floats("position.weight", 0, positions, width)
	floats("mark.weight", 0, tokenTypes, width)
	norm("norm")
	for i := range layers {
		layer := layerName("blocks.", i)
		linear(layer+"qkv", 3*width, width)
		linear(layer+"out", width, width)
		norm(layer + "norm1")
		linear(layer+"up", inner, width)
		linear(layer+"down", width, inner)
		norm(layer + "norm2")
		if quantized {
			floats(layer+"qkv.smooth", 1, width)
			floats(layer+"up.smooth", 1, width)
		}
	}
	floats("hidden.weight", 0, width, 3*width)
	floats("hidden.bias", 0, width)
	floats("classes.weight", 0, claimClasses, width)
	floats("classes.bias", 0, claimClasses)
	floats("token.weight", 0, 1, width)
	floats("token.bias", 0, 1)
	for _, put := range putInt8 {
		put()
	}
	w.put(tokenizerTensor, tokenizer.dtype, tokenizer.shape, tokenizer.data)
	return w.bytes(t, true)
}
