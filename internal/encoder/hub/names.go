package hub

import (
	"fmt"
	"regexp"
	"strings"
)

// A Name is a model that can be fetched: a repository of the hub, and where it
// is one of those that ragfaith knows, its short name.
type Name struct {
	Short string // empty for a model that has none
	Repo  string // ORG/REPO
	// Tokenizer is the repository that the tokenizer's files come from, where that
	// is not Repo.
	Tokenizer string
}

// String is the shortest name.
func (n Name) String() string {
	if n.Short != "" {
		return n.Short
	}
	return n.Repo
}

// Names returns the models that have a short name, in the order in which they
// are shown.
func Names() []Name {
	return []Name{
		// HHEM names google/flan-t5-base as its foundation and takes the tokenizer
		// from there. Its own repository held another architecture before, whose
		// tokenizer.json would be the wrong one.
		{"hhem-2.1-open", "vectara/hallucination_evaluation_model", "google/flan-t5-base"},
		{"minicheck-roberta-large", "lytang/MiniCheck-RoBERTa-Large", ""},
		{"nli-deberta-v3-xsmall", "cross-encoder/nli-deberta-v3-xsmall", ""},
		{"nli-deberta-v3-small", "cross-encoder/nli-deberta-v3-small", ""},
		{"nli-deberta-v3-base", "cross-encoder/nli-deberta-v3-base", ""},
		{"minilm-l6", "sentence-transformers/all-MiniLM-L6-v2", ""},
	}
}

// An UnknownError says that a text names no model.
type UnknownError struct{ Text string }

// Error lists the names that there are.
func (e *UnknownError) Error() string {
	var short []string
	for _, n := range Names() {
		short = append(short, n.Short)
	}
	return fmt.Sprintf("unknown model %q: want ORG/REPO or one of %s", e.Text, strings.Join(short, ", "))
}

// Resolve finds the model of a short name or of ORG/REPO. Its error is an
// *UnknownError.
func Resolve(text string) (Name, error) {
	for _, n := range Names() {
		if text == n.Short || text == n.Repo {
			return n, nil
		}
	}
	if !isRepo(text) {
		return Name{}, &UnknownError{text}
	}
	return Name{Repo: text}, nil
}

// mostName is the longest name of an organisation or a repository; the hub's own
// limit.
const mostName = 96

// isRepo reports whether s is ORG/REPO as the hub allows it: letters, digits,
// '-', '_' and '.', neither first nor last '-' or '.', and no "--" or "..". So
// folderOf is one to one, and no such name can lead out of a folder.
func isRepo(s string) bool {
	org, repo, ok := strings.Cut(s, "/")
	return ok && isNamePart(org) && isNamePart(repo)
}

func isNamePart(s string) bool {
	if s == "" || len(s) > mostName || strings.Contains(s, "--") || strings.Contains(s, "..") {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		case (c == '-' || c == '.') && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return true
}

// folderOf is the name of a repository's folder.
func folderOf(repo string) string { return strings.Replace(repo, "/", "--", 1) }

// isHash reports whether s is so many hexadecimal digits in lower case.
func isHash(s string, digits int) bool {
	if len(s) != digits {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

const (
	sha1Digits   = 40 // of a commit, and of a file that git holds
	sha256Digits = 64 // of a large file
)

// CheckRevision reports whether a text can name a branch, a tag, a pull request
// (refs/pr/1) or a commit. The bounds are git's own, so that such a text is no
// way out of a folder either.
func CheckRevision(s string) error {
	bad := s == "" || len(s) > 255 || strings.Contains(s, "..") || strings.ContainsAny(s, "\\ ~^:?*[") ||
		strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") || strings.HasPrefix(s, "-") ||
		regexp.MustCompile(`[[:cntrl:]]|//|(^|/)\.`).MatchString(s)
	if bad {
		return fmt.Errorf("revision %q: want a branch, a tag or a commit", s)
	}
	return nil
}
