package encoder

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxConfig limits the size of a configuration file in bytes.
const maxConfig = 4 << 20

// Files of a model.
const (
	configFile          = "config.json"
	tokenizerFile       = "tokenizer.json"
	tokenizerConfigFile = "tokenizer_config.json"
	sentenceConfigFile  = "sentence_bert_config.json"
	modulesFile         = "modules.json" // lists the modules of a sentence-transformers model
)

// Limits on configuration values, far above any released model. Their products fit in 64 bits.
const (
	maxWidth     = 1 << 16
	maxRatio     = 16 // of two widths, so that a small file has no large hidden states
	maxLayers    = 1 << 10
	maxHeads     = 1 << 8  // T5 version 1.1 with 11 billion parameters has 64
	maxRows      = 1 << 24 // rows of an embedding table
	maxLabels    = 1 << 10
	maxPositions = 1 << 24
	maxEps       = 0.1 // of a normalization
)

// config provides typed access to the members of a JSON object. The first invalid
// member sets err; values returned afterwards are meaningless. Optional members have
// a default, def. Members that do not affect the output are ignored.
type config struct {
	file   string // file name used in errors
	values map[string]jsontext.Value
	err    error
}

func readConfig(dir, name string) (*config, error) {
	path := filepath.Join(dir, name)
	data, err := safefile.ReadFile(path, maxConfig)
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

// has reports whether key is present and not null.
func (c *config) has(key string) bool {
	v, ok := c.values[key]
	return ok && v.Kind() != 'n'
}

func (c *config) fail(key, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s: %.500s", c.file, key, fmt.Sprintf(format, args...))
	}
}

// get decodes a member into dst and reports whether it is present. want describes
// the expected type for the error.
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

// integer returns an integer from low to high, which is required if def is not in that range.
func (c *config) integer(key string, def, low, high int) int {
	if !c.has(key) && def < low {
		c.fail(key, "missing")
		return 0
	}
	v := optional(c, key, float64(def), "a number")
	if v != math.Trunc(v) || v < float64(low) || v > float64(high) {
		c.fail(key, "want an integer from %d to %d, got %s", low, high, c.values[key])
		return def
	}
	return int(v)
}

// size returns an integer from 1 to limit, which is required if def is 0.
func (c *config) size(key string, def, limit int) int { return c.integer(key, def, 1, limit) }

// optional returns an optional member. want describes the expected type for the error.
func optional[T any](c *config, key string, def T, want string) T {
	c.get(key, &def, want)
	return def
}

// number returns an optional number greater than low and at most high.
func (c *config) number(key string, def, low, high float64) float64 {
	v := optional(c, key, def, "a number")
	if !(v > low && v <= high) {
		c.fail(key, "want a number greater than %v and at most %v, got %v", low, high, v)
	}
	return v
}

func (c *config) text(key, def string) string { return optional(c, key, def, "a string") }

// oneOf returns an optional string that must be one of allowed.
func (c *config) oneOf(key, def string, allowed ...string) string {
	v := c.text(key, def)
	if !slices.Contains(allowed, v) {
		c.fail(key, "%q is not supported; supported: %s", v, strings.Join(allowed, ", "))
	}
	return v
}

func (c *config) boolean(key string, def bool) bool { return optional(c, key, def, "true or false") }

// require fails if a boolean is present and not want, the only supported value.
func (c *config) require(key string, want bool) {
	if v := c.boolean(key, want); v != want {
		c.fail(key, "%v is not supported", v)
	}
}

// activation returns the activation function named by key, with the names used by transformers. The
// default is gelu. gelu_new and gelu_pytorch_tanh are the same function.
func (c *config) activation(key string) kernel.Activation {
	functions := map[string]kernel.Activation{
		"gelu": kernel.Gelu, "gelu_new": kernel.GeluTanh, "gelu_pytorch_tanh": kernel.GeluTanh, "tanh": kernel.Tanh,
	}
	return functions[c.oneOf(key, "gelu", slices.Sorted(maps.Keys(functions))...)]
}

// object returns a required member that is an object, or an empty config on error.
func (c *config) object(key string) *config {
	o := &config{file: c.file + ": " + key}
	if !c.has(key) {
		c.fail(key, "missing")
		return o
	}
	c.get(key, &o.values, "an object")
	return o
}

// Kind is the task of a model. It determines which methods are supported.
type Kind string

// Model kinds and the methods that they support.
const (
	Classify Kind = "classify" // Model.Classify
	Tokens   Kind = "tokens"   // Model.Tokens
	Embed    Kind = "embed"    // Model.Embed
	HHEM     Kind = "hhem"     // Model.Classify
)
