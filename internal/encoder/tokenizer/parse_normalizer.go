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

// maxPattern limits the length of a pattern in bytes.
const maxPattern = 1000

// finder returns the finder of a pattern. SentencePiece models have only one regular
// expression; others are not supported.
func (j *jsonPattern) finder(path string) (finder, error) {
	switch {
	case j == nil || (j.String == nil) == (j.Regex == nil):
		return nil, fmt.Errorf("%s: want either String or Regex", path)
	case j.Regex != nil && *j.Regex == " {2,}":
		return spaceRuns{}, nil
	case j.Regex != nil:
		return nil, fmt.Errorf("%s/Regex: pattern %.200q is not supported", path, *j.Regex)
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
	var n normalizer
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
	case "NFC":
		n, err = p.nfc(), decode(raw, path, new(typed))
	case "Lowercase":
		n, err = lowercase{p.chars}, decode(raw, path, new(typed))
	case "Strip":
		n, err = p.strip(raw, path)
	case "Replace":
		n, err = replaceNormalizerOf(raw, path)
	case "Precompiled":
		n, err = precompiled(raw, path)
	default:
		err = fmt.Errorf("%s/type: %q is not supported", path, kind)
	}
	return append(all, n), err
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
		all = append(all, &unicodeForm{chars: p.chars}, filter{chars: p.chars, drop: nonspacing})
	}
	if *j.Lowercase {
		all = append(all, lowercase{p.chars})
	}
	return all, nil
}

func (p *parser) strip(raw jsontext.Value, path string) (normalizer, error) {
	var j struct {
		typed
		Left  *bool `json:"strip_left" required:"true"`
		Right *bool `json:"strip_right" required:"true"`
	}
	if err := decode(raw, path, &j); err != nil {
		return nil, err
	}
	return strip{p.chars, *j.Left, *j.Right}, nil
}

func replaceNormalizerOf(raw jsontext.Value, path string) (normalizer, error) {
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
	f, err := j.Pattern.finder(path + "/pattern")
	if err != nil {
		return nil, err
	}
	return replaceNormalizer{f, *j.Content}, nil
}

func precompiled(raw jsontext.Value, path string) (normalizer, error) {
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
