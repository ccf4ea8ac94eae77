package hub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	configFile    = "config.json"
	tokenizerFile = "tokenizer.json"
	weightsFile   = "model.safetensors"
	indexFile     = "model.safetensors.index.json"
	mostIndex     = 32 << 20 // bytes of an index
)

// A part is a file that may belong to a model.
type part struct {
	name      string
	needed    bool // a model without it is none that can be used
	tokenizer bool // belongs to the tokenizer
	spare     bool // nothing is lost for inference where it is missing
}

// parts are all files but the weights. Code, pickled weights and exports of
// other formats are never fetched.
func parts() []part {
	return []part{
		{name: configFile, needed: true},
		{name: tokenizerFile, needed: true, tokenizer: true},
		{name: "tokenizer_config.json", tokenizer: true},
		{name: "special_tokens_map.json", tokenizer: true, spare: true},
		{name: "modules.json"},
		{name: "1_Pooling/config.json"},
		{name: "sentence_bert_config.json"},
		{name: "config_sentence_transformers.json", spare: true},
	}
}

// spare reports whether a model can do without the file.
func spare(name string) bool {
	return slices.ContainsFunc(parts(), func(p part) bool { return p.name == name && p.spare })
}

// choose returns the files to fetch of a model: all but the shards, which are
// named by the index, if that is among the files. Tokenizer is the listing of
// the repository that has the tokenizer, nil for the same one.
func choose(n Name, l, tokenizer *listing) (files []source, index bool, err error) {
	for _, p := range parts() {
		repo, from := n.Repo, l
		if p.tokenizer && tokenizer != nil {
			repo, from = n.Tokenizer, tokenizer
		}
		f, ok := from.Files[p.name]
		switch {
		case ok:
			files = append(files, f)
		case p.needed:
			return nil, false, fmt.Errorf("%s: it has no %s, which ragfaith needs", repo, p.name)
		}
	}
	// The order is that of transformers: one file before shards.
	weights, ok := l.Files[weightsFile]
	if !ok {
		weights, index = l.Files[indexFile]
		if !index {
			return nil, false, fmt.Errorf("%s: it has no %s: ragfaith reads no weights but safetensors", n.Repo, weightsFile)
		}
	}
	return append(files, weights), index, nil
}

// shards returns the files that an index names, in order.
func shards(index []byte, l *listing, repo string) ([]source, error) {
	names, err := shardNames(index)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", repo, err)
	}
	files := make([]source, 0, len(names))
	for _, name := range names {
		f, ok := l.Files[name]
		if !ok {
			return nil, fmt.Errorf("%s: %s names %s, which is not there", repo, indexFile, name)
		}
		files = append(files, f)
	}
	return files, nil
}

// shardNames reads the names of the files in model.safetensors.index.json, each
// once and in order: {"weight_map":{TENSOR:FILE}}.
func shardNames(index []byte) ([]string, error) {
	var said struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(index, &said); err != nil {
		return nil, fmt.Errorf("%s: %w", indexFile, err)
	}
	seen := make(map[string]string)
	for _, name := range said.Map {
		if err := checkFileName(name); err != nil {
			return nil, fmt.Errorf("%s: %w", indexFile, err)
		}
		if !strings.HasSuffix(name, ".safetensors") {
			return nil, fmt.Errorf("%s: names %q, which is no safetensors file", indexFile, name)
		}
		// Where capitals make no difference to the disk, these would be one file.
		if other := cmp.Or(seen[strings.ToLower(name)], name); other != name {
			return nil, fmt.Errorf("%s: names both %s and %s", indexFile, min(name, other), max(name, other))
		}
		seen[strings.ToLower(name)] = name
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s: names no files", indexFile)
	}
	names := make([]string, 0, len(seen))
	for _, name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
