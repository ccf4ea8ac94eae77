package result

import (
	"strconv"
	"strings"
	"unicode"
)

// escapeFormula returns text as a cell that spreadsheets do not evaluate: text
// that starts like a formula gets an apostrophe in front. The prefixes are those
// of OWASP's "CSV Injection", also behind white space and invisible characters,
// which some programs drop. Plain numbers stay as they are.
func escapeFormula(text string) string {
	if isFormula(strings.TrimLeft(text, "'")) { // text with an apostrophe gets another
		return "'" + text
	}
	return text
}

// UnescapeFormula reverses [escapeFormula].
func UnescapeFormula(cell string) string {
	if text, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(text, "'")) {
		return text
	}
	return cell
}

func isFormula(text string) bool {
	visible := strings.TrimLeftFunc(text, isInvisible)
	return (strings.ContainsAny(firstRune(text), "\t\r\n") || strings.ContainsAny(firstRune(visible), "=+-@＝＋－＠")) && !IsNumber(text)
}

// isInvisible reports whether a character at the start of a cell is not visible:
// white space, control characters, and characters that Unicode allows programs to
// ignore, such as a byte order mark or a zero-width space.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// IsNumber reports whether s is a decimal number as a spreadsheet reads it.
func IsNumber(s string) bool {
	if strings.Trim(s, "+-0123456789.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
