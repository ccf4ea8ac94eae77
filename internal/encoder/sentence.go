package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// sentence holds the configuration of the modules that follow the network in a
// sentence-transformers model.
type sentence struct {
	dir        string
	pooling    pooling
	unitLength bool // scale embeddings to length 1
	maxLength  int  // maximum number of tokens; 0 means the limit of the network
}

// poolingDir is the directory of the Pooling module, as sentence-transformers writes it.
const poolingDir = "1_Pooling"

// readSentence reads modules.json and the configuration of each module.
func readSentence(dir string) (*sentence, error) {
	path := filepath.Join(dir, modulesFile)
	data, err := safefile.ReadFile(path, maxConfig)
	if err != nil {
		return nil, err
	}
	// parseConfig accepts only objects, so wrap the list in one.
	list, err := parseConfig(path, append(append([]byte(`{"modules":`), data...), '}'))
	if err != nil {
		return nil, err
	}
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	list.get("modules", &modules, "a list of objects")
	if list.err != nil {
		return nil, list.err
	}
	s := &sentence{dir: dir, pooling: -1}
	for i, module := range modules {
		kind := module.Type[strings.LastIndexByte(module.Type, '.')+1:]
		switch {
		case kind == "Transformer" && i == 0:
			err = s.readTransformer(module.Path)
		case kind == "Pooling" && i == 1:
			err = s.readPooling(module.Path)
		case kind == "Normalize" && i == 2:
			s.unitLength = true
		default:
			err = fmt.Errorf("%s: module %d: type: %.100q is not supported here; supported: Transformer, Pooling, Normalize in this order", path, i, module.Type)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.pooling < 0 {
		return nil, fmt.Errorf("%s: want Transformer and Pooling modules", path)
	}
	return s, s.rejectPrompts()
}

func (s *sentence) readTransformer(path string) error {
	if path != "" {
		return fmt.Errorf("%s: path: Transformer in %.100q is not supported", filepath.Join(s.dir, modulesFile), path)
	}
	c, err := readConfig(s.dir, sentenceConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.has("max_seq_length") {
		s.maxLength = c.size("max_seq_length", maxPositions)
	}
	c.require("do_lower_case", false)
	return c.err
}

func (s *sentence) readPooling(path string) error {
	if path != poolingDir {
		return fmt.Errorf("%s: path: %.100q is not supported; supported: %s", filepath.Join(s.dir, modulesFile), path, poolingDir)
	}
	c, err := readConfig(filepath.Join(s.dir, path), configFile)
	if err != nil {
		return err
	}
	c.require("include_prompt", true)
	// Newer files name the mode; older files contain a boolean for each mode.
	if c.text("pooling_mode", "") != "" {
		s.pooling = firstToken
		if c.oneOf("pooling_mode", "", "mean", "cls") == "mean" {
			s.pooling = meanOfTokens
		}
		return c.err
	}
	first := c.boolean("pooling_mode_cls_token", false)
	if first {
		s.pooling = firstToken
	}
	if c.boolean("pooling_mode_mean_tokens", true) {
		s.pooling = meanOfTokens
		if first {
			c.fail("pooling_mode_mean_tokens", "unsupported combination of pooling modes")
		}
	}
	for _, key := range []string{"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"} {
		c.require(key, false)
	}
	if s.pooling < 0 {
		c.fail("pooling_mode_mean_tokens", "false is not supported without another pooling mode")
	}
	return c.err
}

// rejectPrompts rejects models that prepend a prompt to texts.
func (s *sentence) rejectPrompts() error {
	c, err := readConfig(s.dir, "config_sentence_transformers.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && c.has("default_prompt_name") {
		c.fail("default_prompt_name", "%.60s is not supported", c.values["default_prompt_name"])
	}
	return errors.Join(err, c.err)
}

// applyTo sets the maximum length of the network.
func (s *sentence) applyTo(info *Info) {
	if s.maxLength == 0 {
		s.maxLength = info.Window
	}
	if info.MaxTokens != 0 {
		s.maxLength = min(s.maxLength, info.MaxTokens)
	}
	info.MaxTokens, info.Window = s.maxLength, s.maxLength
}

// normalize scales an embedding to length 1 in place if the model has a Normalize
// module.
func (s *sentence) normalize(x []float32) {
	if !s.unitLength {
		return
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	// torch.nn.functional.normalize has the same lower bound.
	inverse := 1 / max(math.Sqrt(sum), 1e-12)
	for i, v := range x {
		x[i] = float32(float64(v) * inverse)
	}
}
