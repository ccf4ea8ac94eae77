package hub

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Name identifies a model on the hub.
type Name struct {
	Short string // short name, or ""
	Repo  string // ORG/REPO
	// Tokenizer is the repository that contains the tokenizer, and the configuration if Repo
	// has none, or "" if it is Repo.
	Tokenizer string
	// Weights is the file that contains the weights, or "" if it has a usual name. Repo then
	// has other models too.
	Weights string
	Embeds  bool // embeds texts and can't judge
	Card    Card // empty if there is no short name
}

// A Card is what is published about a model.
type Card struct {
	Millions  int    // parameters in millions, with embeddings
	License   string // SPDX identifier
	Languages string
	// Accuracy is the balanced accuracy in percent on LLM-AggreFact (leaderboard of
	// llm-aggrefact.github.io) or the F1 of answers on RAGTruth, or "" if not published.
	Accuracy string
}

// String returns the short name or the repository.
func (n Name) String() string { return cmp.Or(n.Short, n.Repo) }

//go:embed names.json
var nameData []byte

// Names returns the models that have a short name: first those with a published accuracy, best
// first, on LLM-AggreFact, which is a mean of several datasets, then on RAGTruth, one of them.
// HHEM has the tokenizer of its base model: that in its repository is for an older architecture.
//
//nolint:gochecknoglobals // parsed once from embedded data, never changed
var Names = sync.OnceValue(func() (names []Name) {
	if err := json.Unmarshal(nameData, &names); err != nil {
		panic(err) // the tests read it
	}
	return names
})

// An UnknownError reports a text that is not the name of a model.
type UnknownError struct{ Text string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown model %q: want ORG/REPO or a name in \"ragfaith models list\"", e.Text)
}

// Resolve returns the model with the given short name or repository, ORG/REPO. The
// error is an *UnknownError.
func Resolve(text string) (Name, error) {
	for _, n := range Names() {
		if text == n.Short || text == n.Repo && n.Weights == "" {
			return n, nil
		}
	}
	if !isRepo(text) || namesIn(text)[0].Weights != "" { // it contains several models
		return Name{}, &UnknownError{text}
	}
	return Name{Repo: text}, nil
}

func namesIn(repo string) []Name {
	all := slices.DeleteFunc(slices.Clone(Names()), func(n Name) bool { return n.Repo != repo })
	if len(all) == 0 {
		all = []Name{{Repo: repo}}
	}
	return all
}

// Identify returns the model with a short name that dir contains, judging by the names of dir and
// its parents. It recognizes the short name, the repository with or without ORG, and the
// directories of a store and of the Hugging Face cache. ok is false if there is none.
func Identify(dir string) (n Name, ok bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Name{}, false
	}
	for range 3 { // the deepest layout is models--ORG--REPO/snapshots/COMMIT, or SHORT/COMMIT
		base := strings.TrimPrefix(filepath.Base(abs), "models--")
		for _, n := range Names() {
			_, repo, _ := strings.Cut(n.Repo, "/")
			if strings.EqualFold(base, n.Short) || n.Weights == "" && (strings.EqualFold(base, dirName(n.Repo)) || strings.EqualFold(base, repo)) {
				return n, true
			}
		}
		abs = filepath.Dir(abs)
	}
	return Name{}, false
}

// maxNameLength is the hub's limit for names of organizations and repositories.
const maxNameLength = 96

var (
	namePart    = regexp.MustCompile(`^\w([\w.-]*\w)?$`)
	notRevision = regexp.MustCompile(`[[:cntrl:]]|//|(^|/)\.`)
)

// isRepo reports whether s is a valid ORG/REPO on the hub: letters, digits, '-',
// '_' and '.', no '-' or '.' at either end, and no "--" or "..". Therefore,
// dirName is injective, and a name cannot escape a directory.
func isRepo(s string) bool {
	org, repo, ok := strings.Cut(s, "/")
	return ok && isNamePart(org) && isNamePart(repo)
}

func isNamePart(s string) bool {
	return len(s) <= maxNameLength && !strings.Contains(s, "--") && !strings.Contains(s, "..") &&
		namePart.MatchString(s)
}

func dirName(repo string) string { return strings.Replace(repo, "/", "--", 1) }

// isHash reports whether s consists of the given number of lower-case hexadecimal digits.
func isHash(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

const (
	sha1Digits   = 40 // hashes of commits and of files stored in git
	sha256Digits = 64 // hashes of large files
)

// CheckRevision returns an error unless s can name a branch, a tag, a pull request (refs/pr/1) or a
// commit. It cannot escape a directory.
func CheckRevision(s string) error {
	invalid := s == "" || len(s) > 255 || strings.Contains(s, "..") || strings.ContainsAny(s, "\\ ~^:?*[") ||
		strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/") || strings.HasPrefix(s, "-") ||
		notRevision.MatchString(s)
	if invalid {
		return fmt.Errorf("revision %q: want a branch, a tag or a commit", s)
	}
	return nil
}
