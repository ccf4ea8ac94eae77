package dataset

import "strings"

// closest returns the name that is most similar to s, or "" if none is similar.
func closest(s string, names []string) string {
	best, bestDistance := "", len(s)/3+1
	for _, name := range names {
		if d := editDistance(foldName(s), foldName(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// foldName returns a name in lower case without separators.
func foldName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(s))
}

// editDistance returns the Levenshtein distance of two short names in bytes.
func editDistance(a, b string) int {
	a, b = a[:min(len(a), maxQuoted)], b[:min(len(b), maxQuoted)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
