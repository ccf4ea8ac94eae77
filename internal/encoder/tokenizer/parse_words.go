package tokenizer

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// preTokenizers appends the pre-tokenizers described by raw.
func (p *parser) preTokenizers(all []preTokenizer, raw jsontext.Value, path string, depth int) ([]preTokenizer, error) {
	if isNull(raw) {
		return all, nil
	}
	kind, err := itemType(raw, path, depth, len(all))
	if err != nil {
		return nil, err
	}
	var w preTokenizer
	switch kind {
	case "Sequence":
		var j struct {
			typed
			Items []jsontext.Value `json:"pretokenizers"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		for i, item := range j.Items {
			if all, err = p.preTokenizers(all, item, fmt.Sprintf("%s/pretokenizers/%d", path, i), depth+1); err != nil {
				return nil, err
			}
		}
		return all, nil
	case "BertPreTokenizer":
		return append(all, p.classSplitter(space, removeDelimiter), p.classSplitter(punctuation, isolate)), decode(raw, path, new(typed))
	case "WhitespaceSplit":
		w, err = p.classSplitter(space, removeDelimiter), decode(raw, path, new(typed))
	case "ByteLevel":
		w, err = p.byteLevel(raw, path)
	case "Metaspace":
		w, err = parseMetaspace(raw, path)
	case "Split":
		w, err = parseSplitter(raw, path)
	default:
		err = fmt.Errorf("%s/type: %q is not supported", path, kind)
	}
	return append(all, w), err
}

func (p *parser) classSplitter(c class, b behavior) splitter {
	return splitter{classPattern{p.chars, c}, b}
}

func parseSplitter(raw jsontext.Value, path string) (preTokenizer, error) {
	var j struct {
		typed
		Pattern  *jsonPattern `json:"pattern"`
		Behavior string       `json:"behavior"`
		Invert   bool         `json:"invert"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	behaviors := map[string]behavior{"Removed": removeDelimiter, "Isolated": isolate, "MergedWithPrevious": mergeWithPrevious}
	b, ok := behaviors[j.Behavior]
	if !ok || j.Invert {
		return nil, fmt.Errorf("%s/behavior: %q, inverted: %t, is not supported", path, j.Behavior, j.Invert)
	}
	f, err := j.Pattern.finder(path + "/pattern")
	return splitter{f, b}, err
}

// A jsonByteLevel is a ByteLevel pre-tokenizer or post-processor.
type jsonByteLevel struct {
	typed
	AddSpace *bool `json:"add_prefix_space" required:"true"`
	Trim     *bool `json:"trim_offsets" required:"true"`
	UseRegex *bool `json:"use_regex"`
}

func (p *parser) byteLevel(raw jsontext.Value, path string) (preTokenizer, error) {
	var j jsonByteLevel
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	b := &byteWords{addSpace: *j.AddSpace, mapping: byteLevel{p.alphabet}}
	if j.UseRegex == nil || *j.UseRegex {
		b.pattern = gpt2Words{p.chars}
	}
	return b, nil
}

func parseMetaspace(raw jsontext.Value, path string) (preTokenizer, error) {
	var j struct {
		typed
		Replacement *string `json:"replacement"`
		Scheme      *string `json:"prepend_scheme"`
		AddSpace    *bool   `json:"add_prefix_space"` // in older files
		Split       *bool   `json:"split"`
		Text        *string `json:"str_rep"` // copy of replacement in older files
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.Replacement == nil || utf8.RuneCountInString(*j.Replacement) != 1 {
		return nil, fmt.Errorf("%s/replacement: want one character", path)
	}
	scheme := "always"
	if j.Scheme != nil {
		scheme = *j.Scheme
	}
	if scheme != "always" && scheme != "first" || j.AddSpace != nil && !*j.AddSpace {
		return nil, fmt.Errorf("%s/prepend_scheme: %q, add_prefix_space: %t, is not supported", path, scheme, j.AddSpace == nil || *j.AddSpace)
	}
	return metaspace{mark: *j.Replacement, first: scheme == "first", split: j.Split == nil || *j.Split}, nil
}
