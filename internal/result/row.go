// Package result defines the result of one row and its encodings: JSON, CSV and Parquet.
//
// [Row] describes the fields. Its struct tags name them and define how missing
// values are encoded. The JSON and Parquet codecs follow from the tags, and a
// test compares schema/result.schema.json with them.
package result

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/usage"
)

// MaxIndex is the largest index of a row. All JSON readers represent integers
// exactly up to this value.
const MaxIndex = 1 << 53

// A Row is the result of one row of a dataset.
//
// The json tags name the fields; omitempty leaves a missing value out of JSON.
// The options of the result tags are:
//
//   - null: an empty string, a negative integer or a fraction of 0 is null
//   - null=verdict: the field is null if the claim has no verdict
//   - offset: a negative number is null in JSON; the column is required in Parquet
//   - round: the number is written with six decimals
//   - dict: Parquet uses a dictionary
//
// A float64 that is NaN is null everywhere.
type Row struct {
	// Index is the position in the dataset, from 0.
	Index int `json:"index"`
	// ID is the id column, or the index if there is none.
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	Contexts []string `json:"contexts"`
	// Faithfulness is the fraction of the judged claims that are supported; null
	// unless scored, or the value of --no-claims.
	Faithfulness float64 `json:"faithfulness"`
	// Support is the mean score of the judged claims; null unless scored.
	Support float64 `json:"support" result:"round"`
	// Confidence is the lowest confidence of the claims, or 0 if none has one.
	Confidence float64 `json:"confidence" result:"null,round"`
	// Status is the outcome of the row.
	Status Status `json:"status" result:"dict"`
	// Reason is refusal, empty or nothing_claimed for a row without claims, the stage that failed
	// (read, extract or verdict) for a failed one, language for an unjudged one, no_contexts for a
	// scored or skipped one for which nothing was retrieved, and otherwise null.
	Reason string `json:"reason" result:"null,dict"`
	// Claims are the claims of the answer, in order.
	Claims []Claim `json:"claims"`
	// Skipped are the sentences that claim nothing and are not judged.
	Skipped []Skipped `json:"skipped"`
	// Unjudged is the share of the words of the answer that are in no judged claim;
	// null for failed and skipped rows.
	Unjudged float64 `json:"unjudged_share" result:"round"`
	// Err is the reason why the row failed.
	Err error `json:"error"`
	// Usage is the number of requests and tokens that the row cost.
	Usage usage.Usage `json:"usage"`
	// Marks are the fallbacks that a language model needed for the row, sorted.
	Marks []Mark `json:"marks,omitempty"`
	// Citations is nil if no claim cites anything.
	Citations *CitationScores `json:",embed"`

	// Kept are columns of the dataset that --keep carried over.
	Kept []dataset.Column `json:"-"`
	// File, Line and Offset are the location of the row in the dataset, as in
	// dataset.Row. They are not stored.
	File   string `json:"-"`
	Line   int    `json:"-"`
	Offset int64  `json:"-"`
}

// Supported returns the number of supported claims.
func (r *Row) Supported() int {
	return r.count(func(v Verdict) bool { return v == Supported })
}

// SupportProbability estimates the probability that all claims are supported as the lowest one
// of a claim, which is an upper bound. ok is false if no claim has a confidence.
func (r *Row) SupportProbability() (p float64, ok bool) {
	p = 1
	for i := range r.Claims {
		c := &r.Claims[i]
		switch {
		case c.Confidence == 0:
			continue
		case c.Verdict == Supported:
			p = min(p, c.Confidence)
		default:
			p = min(p, 1-c.Confidence)
		}
		ok = true
	}
	return p, ok
}

// JudgedClaims returns the number of claims with a verdict other than Unjudged.
func (r *Row) JudgedClaims() int {
	return r.count(func(v Verdict) bool { return v != "" && v != Unjudged })
}

func (r *Row) count(counts func(Verdict) bool) int {
	n := 0
	for i := range r.Claims {
		if counts(r.Claims[i].Verdict) {
			n++
		}
	}
	return n
}

// KeptValue returns the JSON value of a kept column, or nil if the row does not have the column.
func (r *Row) KeptValue(name string) []byte {
	if i := slices.IndexFunc(r.Kept, func(c dataset.Column) bool { return c.Name == name }); i >= 0 {
		return r.Kept[i].Value
	}
	return nil
}

// A Status is the outcome of a row.
type Status string

// The statuses.
const (
	Scored      Status = "scored"    // every claim has a verdict, and not all are Unjudged
	NoClaims    Status = "no_claims" // the answer claims nothing
	UnjudgedRow Status = "unjudged"  // every claim is Unjudged
	Failed      Status = "failed"    // the row could not be read or judged
	SkippedRow  Status = "skipped"   // nothing was retrieved, and such rows are not scored
)

// NoContexts is the reason of a scored or skipped row for which nothing was retrieved.
const NoContexts = "no_contexts"

// OtherLanguage is the reason of an unjudged row: its claims are in another language than
// the contexts.
const OtherLanguage = "language"

// A Mark is a fallback that a language model needed for a row.
type Mark string

// The marks.
const (
	Downgraded Mark = "downgraded" // a reply was made without a JSON schema, which the server rejected
	Grouped    Mark = "grouped"    // contexts were judged in groups, since they did not fit into one request
	OneWord    Mark = "one_word"   // a verdict is a one-word reply
)

// EstimatedUsage is the mark of rows with Usage.Estimated in summaries.
const EstimatedUsage Mark = "estimated_usage"

// The stages of a row, which are the reasons of failed rows.
const (
	StageRead    = "read"
	StageExtract = "extract"
	StageVerdict = "verdict"
)

// A Claim is one statement of an answer and its verdict.
type Claim struct {
	// ID is the position among the claims of the row, from 0.
	ID int `json:"id"`
	// Text is the statement.
	Text string `json:"text"`
	// Lead is the heading or stem that a fragment depends on.
	Lead string `json:"lead,omitempty"`
	// JudgedAs is the statement that was judged instead of lead and text, such
	// as a short answer combined with its question.
	JudgedAs string `json:"judged_as,omitempty"`
	// Start is the offset of the claim in the answer in code points, as Python
	// slices count; null for a rewritten claim.
	Start int `json:"start" result:"null"`
	// End is the offset after the last code point.
	End int `json:"end" result:"null"`
	// From is the sentence of the answer that a rewritten claim is based on.
	From *Span `json:"from,omitempty"`
	// Invented is true if the claim states something that the answer does not.
	Invented bool `json:"invented,omitempty"`
	// Verdict is null if the row failed before the claim was judged.
	Verdict Verdict `json:"verdict" result:"null,dict"`
	// Score is the probability that the contexts support the claim, or NaN if
	// the claim has no verdict or is Unjudged.
	Score float64 `json:"score" result:"round,null=verdict"`
	// Confidence is the probability that the decision between supported and not supported is
	// right, or 0 if the judge has none.
	Confidence float64 `json:"confidence" result:"null,round"`
	// Graded is true if the score comes from log probabilities of a language model.
	Graded bool `json:"graded,omitempty"`
	// Reason explains the verdict.
	Reason string `json:"reason" result:"null=verdict"`
	// ChunkIDs are the indexes of the contexts that support the claim, ascending.
	ChunkIDs []int `json:"chunk_ids"`
	// Evidence are passages of the contexts, best first.
	Evidence []Evidence `json:"evidence"`
	// Unsupported are the parts of the text that no context supports.
	Unsupported []Span `json:"unsupported,omitempty"`
	// Citations are the citations of the claim, in order.
	Citations []Citation `json:"citations,omitempty"`
	// Prescreened is true if an offline judge decided in place of the model (--prescreen).
	Prescreened bool `json:"prescreened,omitempty"`
	// OfflineVerdict is the verdict of the offline judge on a claim that was sent
	// to the model for an audit. Verdict is that of the model.
	OfflineVerdict Verdict `json:"offline_verdict,omitempty" result:"dict"`
	// Reused is set if the verdict was made for another claim.
	Reused *Reused `json:",embed"`
}

// Judged returns the text that judges read: JudgedAs, or Text after its Lead.
func (c *Claim) Judged() string {
	switch {
	case c.JudgedAs != "":
		return c.JudgedAs
	case c.Lead != "":
		return c.Lead + ": " + c.Text
	}
	return c.Text
}

// A Verdict is the outcome of a claim, or "" if it was not judged.
type Verdict string

// The verdicts.
const (
	Supported    Verdict = "supported"
	Contradicted Verdict = "contradicted"
	NotMentioned Verdict = "not_mentioned"
	Unjudged     Verdict = "unjudged" // the judge cannot compare the claim with the contexts
)

// Words returns the verdict in words.
func (v Verdict) Words() string { return strings.ReplaceAll(string(v), "_", " ") }

// A Span is a range of code points in a text.
type Span struct {
	Start int `json:"start" result:"offset"`
	End   int `json:"end" result:"offset"`
}

// Evidence is a passage of a context that bears on a claim.
type Evidence struct {
	// Chunk is an index into the contexts.
	Chunk int `json:"chunk"`
	// Start is the offset of the quote in the context, in code points.
	Start int `json:"start" result:"null"`
	// End is the offset after the last code point.
	End int `json:"end" result:"null"`
	// Quote is the text of the context from start to end.
	Quote string `json:"quote"`
	// Role is omitted for evidence that supports the claim.
	Role Role `json:"role,omitempty" result:"dict"`
}

// A Role is how a passage bears on its claim.
type Role string

// The roles.
const (
	RoleSupports    Role = ""
	RoleContradicts Role = "contradicts"
	RoleNearest     Role = "nearest" // the most similar passage, which does not support the claim
)

// A Citation is a citation of a claim.
type Citation struct {
	// Text is the marker as it appears in the answer.
	Text string `json:"text"`
	// Start is the offset of the marker in the answer, in code points.
	Start int `json:"start" result:"offset"`
	// End is the offset after the last code point.
	End int `json:"end" result:"offset"`
	// Chunk is the index of the cited context; null if the citation resolves to none.
	Chunk int `json:"chunk" result:"null"`
	// Verdict is the verdict on the claim given the cited context alone; null
	// if the citation is unresolved or the row is not scored.
	Verdict Verdict `json:"verdict" result:"null,dict"`
}

// Reused describes the claim from which a verdict was taken.
type Reused struct {
	// By is the cache that found the verdict: semantic.
	By string `json:"cached"`
	// Statement is the claim that was judged, over the same contexts.
	Statement string `json:"cached_from"`
	// Cosine is the similarity of the embeddings of the two claims, -1 to 1.
	Cosine float64 `json:"cosine" result:"round"`
}

// Skipped is a sentence that claims nothing.
type Skipped struct {
	// Kind is the reason why the sentence is not a claim, an extract.Kind.
	Kind string `json:"kind" result:"dict"`
	Text string `json:"text"`
	// Start is the offset of the sentence in the answer, in code points.
	Start int `json:"start" result:"null"`
	// End is the offset after the last code point.
	End int `json:"end" result:"null"`
}

// CitationScores are the citation scores of a row, as defined by ALCE (Gao et al., "Enabling Large
// Language Models to Generate Text with Citations", EMNLP 2023).
type CitationScores struct {
	// Recall is the fraction of claims that are supported by what they cite, without
	// those whose citations are unjudged; null unless scored, or if none is left.
	Recall float64 `json:"citation_recall"`
	// Precision is the fraction of cited chunks that their claims need; null
	// unless scored, or if no citation counts.
	Precision float64 `json:"citation_precision"`
	// Unresolved is the number of citations that resolve to no context.
	Unresolved int `json:"unresolved_citations"`
}
