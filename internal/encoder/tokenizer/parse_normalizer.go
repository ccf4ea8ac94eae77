package tokenizer

import (
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on sequences: their nesting, and the number of their items. Sequences in use
// have up to ten items.
const (
	maxSequences = 8
	maxItems     = 32
)

// maxInserted limits the length in bytes of a text that a normalizer inserts.
const maxInserted = 100

// itemType returns the type of an item of a sequence that has n items before it.
func itemType(raw jsontext.Value, path string, depth, n int) (string, error) {
	switch {
	case depth > maxSequences:
		return "", fmt.Errorf("%s: sequences are nested too deeply", path)
	case n >= maxItems:
		return "", fmt.Errorf("%s: more than %d items", path, maxItems)
	}
	return typeName(raw, path)
}

type typed struct {
	Type string `json:"type"`
}

// A jsonPattern is a string or a regular expression.
type jsonPattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

func (p *parser) finder(j *jsonPattern, path string) (finder, error) {
	switch {
	case j == nil || j.String == nil && j.Regex == nil:
		return nil, missing(path, "Regex")
	case j.String != nil && j.Regex != nil:
		return nil, fmt.Errorf("%s: want either String or Regex, got both", path)
	case j.Regex != nil:
		f, err := p.pattern(*j.Regex)
		if err != nil {
			return nil, fmt.Errorf("%s/Regex: %w", path, err)
		}
		return f, nil
	case *j.String == "" || len(*j.String) > maxPattern:
		return nil, fmt.Errorf("%s/String: want 1 to %d bytes, got %d", path, maxPattern, len(*j.String))
	}
	return literalPattern(*j.String), nil
}

// normalizers appends the normalizers described by raw.
func (p *parser) normalizers(all []normalizer, raw jsontext.Value, path string, depth int) ([]normalizer, error) {
	if isNull(raw) {
		return all, nil
	}
	kind, err := itemType(raw, path, depth, len(all))
	if err != nil {
		return nil, err
	}
	switch kind {
	case "Sequence":
		var j struct {
			typed
			Items []jsontext.Value `json:"normalizers"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		for i, item := range j.Items {
			if all, err = p.normalizers(all, item, fmt.Sprintf("%s/normalizers/%d", path, i), depth+1); err != nil {
				return nil, err
			}
		}
		return all, nil
	case "BertNormalizer":
		return p.bertNormalizer(all, raw, path)
	}
	n, err := p.normalizer(kind, raw, path)
	if err != nil {
		return nil, err
	}
	return append(all, n), nil
}

func (p *parser) bertNormalizer(all []normalizer, raw jsontext.Value, path string) ([]normalizer, error) {
	var j struct {
		typed
		Clean        *bool `json:"clean_text" required:"true"`
		Ideographs   *bool `json:"handle_chinese_chars" required:"true"`
		StripAccents *bool `json:"strip_accents"`
		Lowercase    *bool `json:"lowercase" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if j.StripAccents == nil {
		j.StripAccents = j.Lowercase
	}
	if *j.Clean {
		all = append(all, filter{p.chars, removed, space})
	}
	if *j.Ideographs {
		all = append(all, ideographs{})
	}
	if *j.StripAccents {
		all = append(all, p.form(false, false), filter{chars: p.chars, drop: nonspacing})
	}
	if *j.Lowercase {
		all = append(all, lowercase{p.chars})
	}
	return all, nil
}

func (p *parser) normalizer(kind string, raw jsontext.Value, path string) (normalizer, error) {
	switch kind {
	case "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "ByteLevel":
		if err := decode(raw, path, new(typed)); err != nil {
			return nil, err
		}
	}
	switch kind {
	case "NFC":
		return p.form(false, true), nil
	case "NFD":
		return p.form(false, false), nil
	case "NFKC":
		return p.form(true, true), nil
	case "NFKD":
		return p.form(true, false), nil
	case "Lowercase":
		return lowercase{p.chars}, nil
	case "StripAccents":
		return filter{chars: p.chars, drop: mark}, nil
	case "ByteLevel":
		return byteLevel{p.alphabet}, nil
	case "Strip":
		var j struct {
			typed
			Left  *bool `json:"strip_left" required:"true"`
			Right *bool `json:"strip_right" required:"true"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		return strip{p.chars, *j.Left, *j.Right}, nil
	case "Prepend":
		var j struct {
			typed
			Prepend *string `json:"prepend" required:"true"`
		}
		if err := decode(raw, path, &j); err != nil {
			return nil, err
		}
		if n := len(*j.Prepend); n == 0 || n > maxInserted {
			return nil, fmt.Errorf("%s/prepend: want 1 to %d bytes, got %d", path, maxInserted, n)
		}
		return prepend(*j.Prepend), nil
	case "Replace":
		return p.replace(raw, path)
	case "Precompiled":
		return p.precompiled(raw, path)
	}
	return nil, fmt.Errorf("%s/type: %q is not supported", path, kind)
}

func (p *parser) replace(raw jsontext.Value, path string) (normalizer, error) {
	var j struct {
		typed
		Pattern *jsonPattern `json:"pattern"`
		Content *string      `json:"content" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	if n := len(*j.Content); n > maxInserted {
		return nil, fmt.Errorf("%s/content: has %d bytes, the limit is %d", path, n, maxInserted)
	}
	f, err := p.finder(j.Pattern, path+"/pattern")
	if err != nil {
		return nil, err
	}
	return replaceNormalizer{f, *j.Content}, nil
}

func (p *parser) precompiled(raw jsontext.Value, path string) (normalizer, error) {
	var j struct {
		typed
		Charsmap *string `json:"precompiled_charsmap" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	path += "/precompiled_charsmap"
	data, err := base64.StdEncoding.DecodeString(*j.Charsmap)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := newCharsmap(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
