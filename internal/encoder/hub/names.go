package hub

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// Names returns the models that have a short name: first those with a published accuracy, best
// first, on LLM-AggreFact, which is a mean of several datasets, then on RAGTruth, one of them.
func Names() []Name {
	return []Name{
		{Short: "factcg-deberta-v3-large", Repo: "yaxili96/FactCG-DeBERTa-v3-Large", Card: Card{435, "MIT", "en", "LLM-AggreFact 75.6"}},
		{Short: "minicheck-flan-t5-large", Repo: "lytang/MiniCheck-Flan-T5-Large", Card: Card{770, "MIT", "en", "LLM-AggreFact 75.0"}},
		{Short: "minicheck-roberta-large", Repo: "lytang/MiniCheck-RoBERTa-Large", Card: Card{355, "MIT", "en", "LLM-AggreFact 73.5"}},
		{Short: "minicheck-deberta-v3-large", Repo: "lytang/MiniCheck-DeBERTa-v3-Large", Card: Card{435, "MIT", "en", "LLM-AggreFact 73.1"}},
		// HHEM uses the tokenizer of its base model, google/flan-t5-base. The
		// tokenizer.json in its own repository is for an older architecture.
		{Short: "hhem-2.1-open", Repo: "vectara/hallucination_evaluation_model", Tokenizer: "google/flan-t5-base", Card: Card{110, "Apache-2.0", "en", "LLM-AggreFact 71.8"}},
		{Short: "alignscore-large", Repo: "yzha/AlignScore", Tokenizer: "FacebookAI/roberta-large", Weights: "AlignScore-large.ckpt", Card: Card{355, "MIT", "en", "LLM-AggreFact 70.5"}},
		{Short: "lettucedetect-large", Repo: "KRLabsOrg/lettucedect-large-modernbert-en-v1", Card: Card{395, "MIT", "en", "RAGTruth 79.2"}},
		{Short: "lettucedetect-base", Repo: "KRLabsOrg/lettucedect-base-modernbert-en-v1", Card: Card{149, "MIT", "en", "RAGTruth 76.1"}},
		{Short: "tinylettuce-68m", Repo: "KRLabsOrg/tinylettuce-ettin-68m-en", Card: Card{68, "MIT", "en", "RAGTruth 75.0"}},
		{Short: "lettucedetect-v2-mmbert-base", Repo: "KRLabsOrg/lettucedect-v2-mmbert-base", Card: Card{307, "Apache-2.0", "14 languages", "RAGTruth 74.3"}},
		{Short: "tinylettuce-32m", Repo: "KRLabsOrg/tinylettuce-ettin-32m-en", Card: Card{32, "MIT", "en", "RAGTruth 72.2"}},
		{Short: "tinylettuce-17m", Repo: "KRLabsOrg/tinylettuce-ettin-17m-en", Card: Card{17, "MIT", "en", "RAGTruth 68.5"}},
		{Short: "alignscore-base", Repo: "yzha/AlignScore", Tokenizer: "FacebookAI/roberta-base", Weights: "AlignScore-base.ckpt", Card: Card{125, "MIT", "en", ""}},
		{Short: "nli-deberta-v3-xsmall", Repo: "cross-encoder/nli-deberta-v3-xsmall", Card: Card{71, "Apache-2.0", "en", ""}},
		{Short: "nli-deberta-v3-small", Repo: "cross-encoder/nli-deberta-v3-small", Card: Card{142, "Apache-2.0", "en", ""}},
		{Short: "nli-deberta-v3-base", Repo: "cross-encoder/nli-deberta-v3-base", Card: Card{184, "Apache-2.0", "en", ""}},
		{Short: "nli-deberta-v3-large", Repo: "cross-encoder/nli-deberta-v3-large", Card: Card{435, "Apache-2.0", "en", ""}},
		{Short: "deberta-v3-base-mnli-fever-anli", Repo: "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", Card: Card{184, "MIT", "en", ""}},
		{Short: "deberta-v3-large-mnli-fever-anli-ling-wanli", Repo: "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli", Card: Card{435, "MIT", "en", ""}},
		{Short: "minilm-l6", Repo: "sentence-transformers/all-MiniLM-L6-v2", Embeds: true, Card: Card{23, "Apache-2.0", "en", ""}},
	}
}

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
	all := slices.DeleteFunc(Names(), func(n Name) bool { return n.Repo != repo })
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
