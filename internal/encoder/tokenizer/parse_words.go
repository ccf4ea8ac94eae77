package tokenizer

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// preTokenizers appends what a pre-tokenizer consists of.
func (p *parser) preTokenizers(all []preTokenizer, raw jsontext.Value, path string, depth int) ([]preTokenizer, error) {
	if isNull(raw) {
		return all, nil
	}
	if depth > maxSequences {
		return nil, fmt.Errorf("%s: %w", path, errNested)
	}
	kind, err := typeOf(raw, path)
	if err != nil {
		return nil, err
	}
	if kind != "Sequence" {
		w, err := p.preTokenizer(kind, raw, path)
		if err != nil {
			return nil, err
		}
		return append(all, w), nil
	}
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
}

func (p *parser) preTokenizer(kind string, raw jsontext.Value, path string) (preTokenizer, error) {
	switch kind {
	case "BertPreTokenizer", "Whitespace", "WhitespaceSplit":
		if err := decode(raw, path, new(typed)); err != nil {
			return nil, err
		}
	}
	switch kind {
	case "BertPreTokenizer":
		return bertWords{p.chars}, nil
	case "Whitespace":
		return wordRuns{p.chars}, nil
	case "WhitespaceSplit":
		return each{p.chars, space, removeDelimiter}, nil
	case "ByteLevel":
		return p.byteLevel(raw, path)
	case "Metaspace":
		return p.metaspace(raw, path)
	case "Split":
		return p.splitter(raw, path)
	case "Digits":
		var j struct {
			typed
			Individual *bool `json:"individual_digits"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		if j.Individual == nil {
			return nil, missing(path, "individual_digits")
		}
		if *j.Individual {
			return each{p.chars, numeric, isolate}, nil
		}
		return each{p.chars, numeric, contiguous}, nil
	case "Punctuation":
		var j struct {
			typed
			Behavior *string `json:"behavior"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		if j.Behavior == nil {
			return each{p.chars, punctuation, isolate}, nil
		}
		b, err := parseBehavior(*j.Behavior, path+"/behavior")
		return each{p.chars, punctuation, b}, err
	}
	return nil, fmt.Errorf("%s/type: %q isn't supported", path, kind)
}

func parseBehavior(name, path string) (behavior, error) {
	switch name {
	case "Removed":
		return removeDelimiter, nil
	case "Isolated":
		return isolate, nil
	case "MergedWithPrevious":
		return mergeWithPrevious, nil
	case "MergedWithNext":
		return mergeWithNext, nil
	case "Contiguous":
		return contiguous, nil
	}
	return 0, fmt.Errorf("%s: %q isn't supported", path, name)
}

func (p *parser) splitter(raw jsontext.Value, path string) (preTokenizer, error) {
	var j struct {
		typed
		Pattern  *jsonPattern `json:"pattern"`
		Behavior string       `json:"behavior"`
		Invert   *bool        `json:"invert"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.Invert == nil {
		return nil, missing(path, "invert")
	}
	b, err := parseBehavior(j.Behavior, path+"/behavior")
	if err != nil {
		return nil, err
	}
	f, err := p.finder(j.Pattern, path+"/pattern")
	return splitter{f, b, *j.Invert}, err
}

// A jsonByteLevel is the same before and after the model.
type jsonByteLevel struct {
	typed
	AddSpace *bool `json:"add_prefix_space"`
	Trim     *bool `json:"trim_offsets"`
	UseRegex *bool `json:"use_regex"`
}

func (j *jsonByteLevel) read(raw jsontext.Value, path string) error {
	err := decode(raw, path, j)
	switch {
	case err != nil:
		return err
	case j.AddSpace == nil:
		return missing(path, "add_prefix_space")
	case j.Trim == nil:
		return missing(path, "trim_offsets")
	}
	return nil
}

func (p *parser) byteLevel(raw jsontext.Value, path string) (preTokenizer, error) {
	var j jsonByteLevel
	if err := j.read(raw, path); err != nil {
		return nil, err
	}
	b := &byteWords{addSpace: *j.AddSpace, spelling: byteLevel{p.alphabet}}
	if j.UseRegex == nil || *j.UseRegex {
		b.pattern = gpt2Words{p.chars}
	}
	return b, nil
}

func (p *parser) metaspace(raw jsontext.Value, path string) (preTokenizer, error) {
	var j struct {
		typed
		Replacement *string `json:"replacement"`
		Scheme      *string `json:"prepend_scheme"`
		AddSpace    *bool   `json:"add_prefix_space"` // what older files have
		Split       *bool   `json:"split"`
		Text        *string `json:"str_rep"` // the replacement again, in older files
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.Replacement == nil || utf8.RuneCountInString(*j.Replacement) != 1 {
		return nil, fmt.Errorf("%s/replacement: want one character", path)
	}
	m := metaspace{mark: *j.Replacement, split: j.Split == nil || *j.Split}
	if j.Scheme != nil {
		switch *j.Scheme {
		case "always":
		case "first":
			m.scheme = first
		case "never":
			m.scheme = never
		default:
			return nil, fmt.Errorf("%s/prepend_scheme: %q isn't supported", path, *j.Scheme)
		}
	}
	if j.AddSpace != nil && !*j.AddSpace && m.scheme != never {
		return nil, fmt.Errorf(`%s/add_prefix_space: false, while prepend_scheme isn't "never"`, path)
	}
	return m, nil
}
