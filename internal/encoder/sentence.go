package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
)

// A sentence encoder is a network and what sentence-transformers does with its
// hidden values.
type sentence struct {
	dir       string
	pooling   pooling
	normalise bool
	maxLength int // tokens; 0: as many as the network takes
	width     int // of the pooled values; 0: not said
}

// readSentence reads the steps of a sentence encoder.
func readSentence(dir string) (*sentence, error) {
	path := filepath.Join(dir, modulesFile)
	data, err := readFile(path, maxConfig)
	if err != nil {
		return nil, err
	}
	// A list, where config wants an object.
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
			err = s.transformer(module.Path)
		case kind == "Pooling" && i == 1:
			err = s.pool(module.Path)
		case kind == "Normalize" && i == 2:
			s.normalise = true
		default:
			err = fmt.Errorf("%s: module %d: type: %q is not supported there; supported: Transformer, Pooling, Normalize in this order", path, i, module.Type)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.pooling < 0 {
		return nil, fmt.Errorf("%s: want a Transformer and a Pooling", path)
	}
	return s, s.defaults()
}

// inside returns the folder of a module, which must be the model's or directly
// in it.
func (s *sentence) inside(path string) (string, error) {
	if path != "" && (strings.HasPrefix(path, ".") || strings.ContainsAny(path, "/\\:\x00")) {
		return "", fmt.Errorf("%s: path: %q is not a folder in this one", filepath.Join(s.dir, modulesFile), path)
	}
	return filepath.Join(s.dir, path), nil
}

func (s *sentence) transformer(path string) error {
	if path != "" {
		return fmt.Errorf("%s: path: a Transformer in %q is not supported", filepath.Join(s.dir, modulesFile), path)
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
	c.demand("do_lower_case", false)
	return c.err
}

func (s *sentence) pool(path string) error {
	dir, err := s.inside(path)
	if err != nil {
		return err
	}
	c, err := readConfig(dir, configFile)
	if err != nil {
		return err
	}
	if c.has("word_embedding_dimension") {
		s.width = c.size("word_embedding_dimension", maxWidth)
	}
	c.demand("include_prompt", true)
	// Newer files have one word; the others a key for each way.
	if mode := c.text("pooling_mode", ""); mode != "" {
		switch c.word("pooling_mode", "", "mean", "cls", "max") {
		case "mean":
			s.pooling = meanOfTokens
		case "max":
			s.pooling = maxOfTokens
		default:
			s.pooling = firstToken
		}
		return c.err
	}
	ways := []struct {
		key     string
		pooling pooling
	}{
		{"pooling_mode_cls_token", firstToken},
		{"pooling_mode_mean_tokens", meanOfTokens},
		{"pooling_mode_max_tokens", maxOfTokens},
	}
	for _, way := range ways {
		if !c.flag(way.key, way.pooling == meanOfTokens) {
			continue
		}
		if s.pooling >= 0 {
			c.fail(way.key, "true is not supported besides another way of pooling")
		}
		s.pooling = way.pooling
	}
	for _, key := range []string{"pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"} {
		c.demand(key, false)
	}
	if s.pooling < 0 {
		c.fail("pooling_mode_mean_tokens", "false is not supported where no other way of pooling is true")
	}
	return c.err
}

// defaults refuses settings that put text in front of what is embedded.
func (s *sentence) defaults() error {
	c, err := readConfig(s.dir, "config_sentence_transformers.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && c.has("default_prompt_name") {
		c.fail("default_prompt_name", "%.60s is not supported", c.values["default_prompt_name"])
	}
	return errors.Join(err, c.err)
}

// fit checks the steps against the network, and limits its sequences.
func (s *sentence) fit(info *Info) error {
	if s.width != 0 && s.width != info.Hidden {
		return fmt.Errorf("%s: word_embedding_dimension %d of the Pooling is not hidden_size %d", s.dir, s.width, info.Hidden)
	}
	if s.maxLength == 0 {
		s.maxLength = info.Window
	}
	if info.MaxTokens != 0 {
		s.maxLength = min(s.maxLength, info.MaxTokens)
	}
	info.MaxTokens, info.Window = s.maxLength, s.maxLength
	return nil
}

// finish normalises embeddings of width values in place where that is a step.
func (s *sentence) finish(x []float32) {
	if !s.normalise {
		return
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	// torch.nn.functional.normalize has the same floor.
	inverse := 1 / max(math.Sqrt(sum), 1e-12)
	for i, v := range x {
		x[i] = float32(float64(v) * inverse)
	}
}
