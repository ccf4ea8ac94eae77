package segment

import "strings"

// IsCode reports whether every line of block is indented as Markdown indents
// code, and the block reads as code does: some of its lines hold the signs of a
// programming language and none ends as a sentence.
func IsCode(block string) bool {
	signs := false
	for l := range strings.Lines(block) {
		l = strings.TrimRight(l, " \t\r\n")
		if l == "" {
			continue
		}
		if !isIndented(l) {
			return false
		}
		signs = signs || hasSigns(l)
		if strings.HasSuffix(l, ".") || strings.HasSuffix(l, "?") {
			return false
		}
	}
	return signs
}

// isIndented reports whether four columns of white space begin the line.
func isIndented(l string) bool {
	return strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t")
}

// hasSigns reports whether a line looks like one of a program.
func hasSigns(l string) bool {
	l = strings.TrimSpace(l)
	return strings.HasSuffix(l, ";") || strings.HasSuffix(l, "{") || strings.HasSuffix(l, "}") || strings.HasSuffix(l, ")") && strings.IndexByte(l, ' ') < 0 ||
		strings.HasPrefix(l, "$ ") || strings.Contains(l, " = ") || strings.Contains(l, "()") || strings.Contains(l, " := ") ||
		strings.Contains(l, "=\"") || strings.HasPrefix(l, "import ") || strings.HasPrefix(l, "def ") || strings.HasPrefix(l, "</")
}

// indentedCode is the end of the block of code that is indented from text[at]
// on, and at where there is none. A blank line ends it: what follows is looked
// at anew.
func indentedCode(text string, at int) int {
	if !isIndented(text[at:]) {
		return at
	}
	end := at
	for end < len(text) && isIndented(text[end:]) {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			end = len(text)
			break
		}
		if strings.TrimSpace(text[end:end+n]) == "" {
			break
		}
		end += n + 1
	}
	if !IsCode(text[at:end]) {
		return at
	}
	return end
}
