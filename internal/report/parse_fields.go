package report

// fields are a set of the members that a result has by itself.
type fields uint32

// has reports whether name is that of a field in the set.
func (f fields) has(name string) bool { return f&fieldOf(name) != 0 }

// fieldOf returns the set of the one field of that name, which is empty for any
// other name.
func fieldOf(name string) fields {
	switch name {
	case "index":
		return 1 << 0
	case "id":
		return 1 << 1
	case "question":
		return 1 << 2
	case "answer":
		return 1 << 3
	case "contexts":
		return 1 << 4
	case "faithfulness":
		return 1 << 5
	case "support":
		return 1 << 6
	case "status":
		return 1 << 7
	case "reason":
		return 1 << 8
	case "claims":
		return 1 << 9
	case "skipped":
		return 1 << 10
	case "error":
		return 1 << 11
	case "usage":
		return 1 << 12
	case citationRecall:
		return 1 << 13
	case citationPrecision:
		return 1 << 14
	case unresolvedCitations:
		return 1 << 15
	}
	return 0
}
