package flagvalue

import "strings"

// minAbbreviation is the minimum length of the beginning of a name that Nearest
// recognizes.
const minAbbreviation = 4

// Nearest returns the name that word begins or most likely misspells, or "" if none is
// similar.
func Nearest(word string, names []string) string {
	for _, name := range names {
		if len(word) >= minAbbreviation && strings.HasPrefix(name, word) {
			return name
		}
	}
	best, bestDistance := "", len(word)/2+1
	for _, name := range names {
		if d := distance(word, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a[:i] to each b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
