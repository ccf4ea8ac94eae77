package encoder

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxConfig is the longest configuration file that is read, in bytes. A list of
// thousands of labels fits.
const maxConfig = 4 << 20

// Limits of what a configuration may ask for: far above any model there is, and
// low enough that their products fit 64 bits.
const (
	maxWidth     = 1 << 16
	maxLayers    = 1 << 10
	maxRows      = 1 << 24 // of a table of embeddings
	maxLabels    = 1 << 16
	maxPositions = 1 << 24
)

// config is a JSON object whose members are read by key. The first member that
// is not as it must be is kept as the error; what is read after it means
// nothing. Members that change no number are not looked at.
type config struct {
	file   string // for errors
	values map[string]jsontext.Value
	err    error
}

// readFile returns the content of a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	return safefile.ReadFile(path, limit)
}

func readConfig(dir, name string) (*config, error) {
	path := filepath.Join(dir, name)
	data, err := readFile(path, maxConfig)
	if err != nil {
		return nil, err
	}
	return parseConfig(path, data)
}

func parseConfig(file string, data []byte) (*config, error) {
	c := &config{file: file}
	if err := json.Unmarshal(data, &c.values); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// has tells whether there is a member with that key that is not null.
func (c *config) has(key string) bool {
	v, ok := c.values[key]
	return ok && v.Kind() != 'n'
}

func (c *config) fail(key, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s: %s", c.file, key, fmt.Sprintf(format, args...))
	}
}

// get decodes a member into dst and tells whether it is there.
func (c *config) get(key string, dst any, want string) bool {
	if !c.has(key) {
		return false
	}
	if err := json.Unmarshal(c.values[key], dst); err != nil {
		c.fail(key, "want %s, got %.60s", want, c.values[key])
		return false
	}
	return true
}

// size returns a whole number from 1 to limit that must be there.
func (c *config) size(key string, limit int) int {
	if !c.has(key) {
		c.fail(key, "is missing")
		return 0
	}
	return c.sizeOr(key, 0, limit)
}

// sizeOr is size for a key that may be missing.
func (c *config) sizeOr(key string, missing, limit int) int {
	v := float64(missing)
	if !c.get(key, &v, "a number") {
		return missing
	}
	if v != math.Trunc(v) || v < 1 || v > float64(limit) {
		c.fail(key, "%s is not a whole number from 1 to %d", c.values[key], limit)
		return missing
	}
	return int(v)
}

// id returns a token id that must be there.
func (c *config) id(key string, missing int) int32 {
	v := float64(missing)
	c.get(key, &v, "a number")
	if v != math.Trunc(v) || v < 0 || v >= maxRows {
		c.fail(key, "%s is not a token id", c.values[key])
		return 0
	}
	return int32(v)
}

// above returns a number greater than low and at most high.
func (c *config) above(key string, missing, low, high float64) float64 {
	v := missing
	c.get(key, &v, "a number")
	if !(v > low && v <= high) {
		c.fail(key, "%v is not above %v and at most %v", v, low, high)
	}
	return v
}

// eps returns the small number that keeps a norm from dividing by zero.
func (c *config) eps(key string, missing float64) float32 {
	return float32(c.above(key, missing, 0, 0.1))
}

// text returns a string.
func (c *config) text(key, missing string) string {
	v := missing
	c.get(key, &v, "a string")
	return v
}

// word returns a string, which must be one of those allowed.
func (c *config) word(key, missing string, allowed ...string) string {
	v := c.text(key, missing)
	if !slices.Contains(allowed, v) {
		c.fail(key, "%q is not supported; supported: %s", v, strings.Join(allowed, ", "))
	}
	return v
}

// flag returns true or false.
func (c *config) flag(key string, missing bool) bool {
	v := missing
	c.get(key, &v, "true or false")
	return v
}

// demand fails unless a flag has the only value that is supported.
func (c *config) demand(key string, want bool) {
	if v := c.flag(key, want); v != want {
		c.fail(key, "%v is not supported", v)
	}
}

// activation returns the function that a key names, gelu where it is missing.
// The names are those of transformers; gelu_new and gelu_pytorch_tanh are one
// function.
func (c *config) activation(key string) kernel.Activation {
	functions := map[string]kernel.Activation{
		"gelu": kernel.Gelu, "gelu_new": kernel.GeluTanh, "gelu_pytorch_tanh": kernel.GeluTanh,
		"relu": kernel.Relu, "silu": kernel.Silu, "swish": kernel.Silu, "tanh": kernel.Tanh,
	}
	return functions[c.word(key, "gelu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "silu", "swish", "tanh")]
}

// heads returns the number of attention heads, which must divide width.
func (c *config) heads(key string, width int) int {
	n := c.size(key, maxWidth)
	if c.err == nil && width%n != 0 {
		c.fail(key, "%d does not divide hidden_size %d", n, width)
	}
	return n
}

// object returns a member that is an object. Where it is missing or of another
// kind the result is empty and c has an error.
func (c *config) object(key string) *config {
	o := &config{file: c.file + ": " + key}
	if !c.has(key) {
		c.fail(key, "is missing")
		return o
	}
	c.get(key, &o.values, "an object")
	return o
}
