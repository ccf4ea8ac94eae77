package encoder

import "strings"

// prompt is the template that HHEM reads a pair in.
type prompt struct {
	pieces [3]string // before, between and after the two texts
	swap   bool      // the second text comes first
}

// Placeholders in the prompt of the configuration.
const (
	firstText  = "{text1}"
	secondText = "{text2}"
)

// readPrompt reads the prompt, which must have each placeholder once.
func readPrompt(c *config) (*prompt, error) {
	const key = "prompt"
	text := c.text(key, "")
	if text == "" {
		c.fail(key, "missing")
	}
	if strings.Count(text, firstText) != 1 || strings.Count(text, secondText) != 1 ||
		strings.Count(text, "{") != 2 || strings.Count(text, "}") != 2 {
		c.fail(key, "want %s and %s exactly once and no other braces, got %q", firstText, secondText, text)
	}
	if c.err != nil {
		return nil, c.err
	}
	p := new(prompt)
	one, two := firstText, secondText
	if p.swap = strings.Index(text, two) < strings.Index(text, one); p.swap {
		one, two = two, one
	}
	p.pieces[0], text, _ = strings.Cut(text, one)
	p.pieces[1], p.pieces[2], _ = strings.Cut(text, two)
	return p, nil
}

// fill returns the parts of the prompt with the texts inserted as the second and
// fourth.
func (p *prompt) fill(premise, hypothesis string) []string {
	if p.swap {
		premise, hypothesis = hypothesis, premise
	}
	return []string{p.pieces[0], premise, p.pieces[1], hypothesis, p.pieces[2]}
}
