package encoder

import (
	"fmt"
	"strings"
)

// A template combines a pair of texts into one text. Special tokens outside of the
// placeholders are recognized.
type template struct {
	pieces [3]string // text before, between and after the placeholders
	swap   bool      // the placeholder of the second text comes first
}

// Placeholders in a template.
const (
	firstText  = "{text1}"
	secondText = "{text2}"
)

// maxTemplate limits the length of a template in bytes. Templates in use are a sentence.
const maxTemplate = 4000

// parseTemplate parses a template, which must contain each placeholder exactly once.
func parseTemplate(text string) (*template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("has %d bytes, the limit is %d", len(text), maxTemplate)
	}
	if strings.Count(text, firstText) != 1 || strings.Count(text, secondText) != 1 ||
		strings.Count(text, "{") != 2 || strings.Count(text, "}") != 2 {
		return nil, fmt.Errorf("want %s and %s exactly once and no other braces, got %q", firstText, secondText, text)
	}
	t := new(template)
	first, second := firstText, secondText
	if t.swap = strings.Index(text, second) < strings.Index(text, first); t.swap {
		first, second = second, first
	}
	t.pieces[0], text, _ = strings.Cut(text, first)
	t.pieces[1], t.pieces[2], _ = strings.Cut(text, second)
	return t, nil
}

// hhemPrompt is the template of HHEM-2.1-Open, from its model card. The code of its
// configuration has it too, so config.json may lack it.
const hhemPrompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"

// readPrompt reads the template of an HHEM model.
func readPrompt(c *config) (*template, error) {
	const key = "prompt"
	text := c.text(key, hhemPrompt)
	t, err := parseTemplate(text)
	if err != nil {
		c.fail(key, "%v", err)
	}
	return t, c.err
}

// fill returns the five parts of the filled template. The second and fourth are the
// texts.
func (t *template) fill(premise, hypothesis string) []string {
	if t.swap {
		premise, hypothesis = hypothesis, premise
	}
	return []string{t.pieces[0], premise, t.pieces[1], hypothesis, t.pieces[2]}
}
