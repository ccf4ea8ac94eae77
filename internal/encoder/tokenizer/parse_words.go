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
	switch kind {
	case "Sequence":
	case "BertPreTokenizer":
		return append(all, p.classSplitter(space, removeDelimiter), p.classSplitter(punctuation, isolate)), decode(raw, path, new(typed))
	default:
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
	case "Whitespace", "WhitespaceSplit":
		if err := decode(raw, path, new(typed)); err != nil {
			return nil, err
		}
	}
	switch kind {
	case "Whitespace":
		return splitter{wordRuns{p.chars}, removeDelimiter, true}, nil
	case "WhitespaceSplit":
		return p.classSplitter(space, removeDelimiter), nil
	case "ByteLevel":
		return p.byteLevel(raw, path)
	case "Metaspace":
		return p.metaspace(raw, path)
	case "Split":
		return p.splitter(raw, path)
	case "Digits":
		var j struct {
			typed
			Individual *bool `json:"individual_digits" required:"true"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		if *j.Individual {
			return p.classSplitter(numeric, isolate), nil
		}
		return p.classSplitter(numeric, contiguous), nil
	case "Punctuation":
		var j struct {
			typed
			Behavior *string `json:"behavior"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		if j.Behavior == nil {
			return p.classSplitter(punctuation, isolate), nil
		}
		b, err := parseBehavior(*j.Behavior, path+"/behavior")
		return p.classSplitter(punctuation, b), err
	}
	return nil, fmt.Errorf("%s/type: %q is not supported", path, kind)
}

func (p *parser) classSplitter(c class, b behavior) splitter {
	return splitter{classPattern{p.chars, c}, b, false}
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
	return 0, fmt.Errorf("%s: %q is not supported", path, name)
}

func (p *parser) splitter(raw jsontext.Value, path string) (preTokenizer, error) {
	var j struct {
		typed
		Pattern  *jsonPattern `json:"pattern"`
		Behavior string       `json:"behavior"`
		Invert   *bool        `json:"invert" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	b, err := parseBehavior(j.Behavior, path+"/behavior")
	if err != nil {
		return nil, err
	}
	f, err := p.finder(j.Pattern, path+"/pattern")
	return splitter{f, b, *j.Invert}, err
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

func (p *parser) metaspace(raw jsontext.Value, path string) (preTokenizer, error) {
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
	m := metaspace{mark: *j.Replacement, split: j.Split == nil || *j.Split}
	if j.Scheme != nil {
		switch *j.Scheme {
		case "always":
		case "first":
			m.scheme = prependFirst
		case "never":
			m.scheme = prependNever
		default:
			return nil, fmt.Errorf("%s/prepend_scheme: %q is not supported", path, *j.Scheme)
		}
	}
	if j.AddSpace != nil && !*j.AddSpace && m.scheme != prependNever {
		return nil, fmt.Errorf(`%s/add_prefix_space: false, but prepend_scheme is not "never"`, path)
	}
	return m, nil
}
