package encoder

import (
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// Kind is the task of a model. It determines which methods are supported.
type Kind string

// Model kinds and the methods that they support.
const (
	Classify Kind = "classify" // Model.Classify
	Tokens   Kind = "tokens"   // Model.Tokens
	Embed    Kind = "embed"    // Model.Embed
	HHEM     Kind = "hhem"     // Model.Classify
)

// Meaning is the relation of a text to a claim that a label expresses.
type Meaning int

const (
	// NotMentioned means that the text does not support the claim. Models with two
	// labels use it for contradicted claims too.
	NotMentioned Meaning = iota
	// Supported means that the claim follows from the text.
	Supported
	// Contradicted means that the text contradicts the claim.
	Contradicted
)

// String returns the name used in label maps.
func (m Meaning) String() string {
	return [...]string{"not_mentioned", "supported", "contradicted"}[m]
}

// Info describes a model.
type Info struct {
	Architecture string // as in config.json
	Kind         Kind
	Hidden       int // width of hidden states and embeddings
	Layers       int
	Labels       []string  // label names in the order of the logits
	Meanings     []Meaning // meaning of each label
	MaxTokens    int       // maximum sequence length with special tokens; 0 means no limit
	Window       int       // sequence length that the model was trained for; 0 means unknown
	Kernel       string    // name of the kernels, or of ONNX Runtime
	Precision    kernel.Precision
}

// Probabilities holds the probability of each meaning. They sum to 1.
type Probabilities struct{ Supported, Contradicted, NotMentioned float64 }

// Probabilities returns the softmax over the logits, summed by the meaning of
// their labels.
func (i *Info) Probabilities(logits []float32) Probabilities {
	largest := float64(slices.Max(logits))
	var sums [Contradicted + 1]float64
	total := 0.0
	for l, x := range logits {
		e := math.Exp(float64(x) - largest)
		sums[i.Meanings[l]] += e
		total += e
	}
	return Probabilities{sums[Supported] / total, sums[Contradicted] / total, sums[NotMentioned] / total}
}
