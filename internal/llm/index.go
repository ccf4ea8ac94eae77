package llm

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Index reads the id that a reply gives to a claim, sentence or chunk, which the
// prompt numbers from 0: a number of at most six digits, bare or as a string, also
// as 1.0, "#1" or "claim_1". It is -1 for anything else. Which number it counts
// from shows only when all ids of a reply are looked at.
func Index(raw json.RawMessage) int {
	s := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		s = strings.ToLower(strings.TrimSpace(text))
		for _, what := range []string{"claim", "statement", "sentence", "chunk"} {
			if rest, ok := strings.CutPrefix(s, what); ok {
				s = strings.TrimLeft(rest, " _-")
			}
		}
		s = strings.TrimPrefix(s, "#")
	}
	s = strings.TrimSpace(s)
	if whole, fraction, ok := strings.Cut(s, "."); ok && fraction != "" && strings.Trim(fraction, "0") == "" {
		s = whole
	}
	if s == "" || len(s) > 6 || strings.Trim(s, "0123456789") != "" {
		return -1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
