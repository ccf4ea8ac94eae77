package encoder

import "strings"

// prompt is HHEM's template for a pair of texts.
type prompt struct {
	pieces [3]string // text before, between and after the placeholders
	swap   bool      // the placeholder of the second text comes first
}

// Placeholders in a prompt.
const (
	firstText  = "{text1}"
	secondText = "{text2}"
)

// readPrompt reads the prompt, which must contain each placeholder exactly once.
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
	first, second := firstText, secondText
	if p.swap = strings.Index(text, second) < strings.Index(text, first); p.swap {
		first, second = second, first
	}
	p.pieces[0], text, _ = strings.Cut(text, first)
	p.pieces[1], p.pieces[2], _ = strings.Cut(text, second)
	return p, nil
}

// fill returns the five parts of the prompt. The second and fourth are the texts.
func (p *prompt) fill(premise, hypothesis string) []string {
	if p.swap {
		premise, hypothesis = hypothesis, premise
	}
	return []string{p.pieces[0], premise, p.pieces[1], hypothesis, p.pieces[2]}
}
