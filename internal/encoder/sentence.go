package encoder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// sentence holds the configuration of the modules that follow the network in a
// sentence-transformers model.
type sentence struct {
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
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &modules); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := new(sentence)
	var kinds []string
	for _, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		if kind != "Normalize" {
			kind += ":" + m.Path
		}
		kinds = append(kinds, kind)
	}
	switch got := strings.Join(kinds, " "); got {
	case "Transformer: Pooling:" + poolingDir + " Normalize":
		s.unitLength = true
	case "Transformer: Pooling:" + poolingDir:
	default:
		return nil, fmt.Errorf("%s: the modules (type:path) %.200q are not supported; supported: Transformer:, Pooling:%s and Normalize", path, got, poolingDir)
	}
	return s, errors.Join(s.readTransformer(dir), s.readPooling(filepath.Join(dir, poolingDir)), rejectPrompts(dir))
}

// readOptional is readConfig for a file that may be missing.
func readOptional(dir, name string) (*config, error) {
	c, err := readConfig(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(config), nil
	}
	return c, err
}

func (s *sentence) readTransformer(dir string) error {
	c, err := readOptional(dir, sentenceConfigFile)
	if err != nil {
		return err
	}
	if c.has("max_seq_length") {
		s.maxLength = c.size("max_seq_length", 0, maxPositions)
	}
	c.require("do_lower_case", false)
	return c.err
}

// readPooling reads how token values are pooled. Newer files name the mode; older files
// contain a boolean for each mode.
func (s *sentence) readPooling(dir string) error {
	c, err := readConfig(dir, configFile)
	if err != nil {
		return err
	}
	c.require("include_prompt", true)
	first := c.boolean("pooling_mode_cls_token", false)
	if c.has("pooling_mode") {
		first = c.oneOf("pooling_mode", "", "mean", "cls") == "cls"
	} else {
		if c.boolean("pooling_mode_mean_tokens", true) == first {
			c.fail("pooling_mode_mean_tokens", "unsupported combination of pooling modes")
		}
		for _, key := range []string{"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"} {
			c.require(key, false)
		}
	}
	if s.pooling = meanOfTokens; first {
		s.pooling = firstToken
	}
	return c.err
}

// rejectPrompts rejects models that prepend a prompt to texts.
func rejectPrompts(dir string) error {
	c, err := readOptional(dir, "config_sentence_transformers.json")
	if err == nil && c.has("default_prompt_name") {
		c.fail("default_prompt_name", "%.60s is not supported", c.values["default_prompt_name"])
	}
	return cmp.Or(err, c.err)
}

// normalize scales an embedding to length 1 in place if the model has a Normalize module.
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
