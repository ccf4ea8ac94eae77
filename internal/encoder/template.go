package encoder

import (
	"fmt"
	"strings"
)

// A template combines a pair of texts into one text: its pieces are before, between and
// after them. Special tokens in the pieces are recognized.
type template [3]string

// Placeholders in a template.
const (
	firstText  = "{text1}"
	secondText = "{text2}"
)

// parseTemplate parses a template, which must contain the placeholders in order.
func parseTemplate(text string) (*template, error) {
	before, rest, _ := strings.Cut(text, firstText)
	between, after, ok := strings.Cut(rest, secondText)
	if t := (template{before, between, after}); ok && !strings.ContainsAny(strings.Join(t[:], ""), "{}") {
		return &t, nil
	}
	return nil, fmt.Errorf("want %s and %s once each, in this order and without other braces, got %.300q", firstText, secondText, text)
}

// hhemPrompt is the template of HHEM-2.1-Open, from its model card. The code of its
// configuration has it too, so config.json may lack it.
const hhemPrompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"

// readPrompt reads the template of an HHEM model.
func readPrompt(c *config) (*template, error) {
	const key = "prompt"
	t, err := parseTemplate(c.text(key, hhemPrompt))
	if err != nil {
		c.fail(key, "%v", err)
	}
	return t, c.err
}

// fill returns the five parts of the filled template. The second and fourth are the
// texts.
func (t *template) fill(premise, hypothesis string) []string {
	return []string{t[0], premise, t[1], hypothesis, t[2]}
}
