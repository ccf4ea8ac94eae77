package encoder

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
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
	Hidden       int       // width of hidden states and embeddings
	Labels       []string  // label names in the order of the logits
	Meanings     []Meaning // meaning of each label
	MaxTokens    int       // maximum sequence length with special tokens; 0 means no limit
	Window       int       // sequence length that the model was trained for; 0 means unknown
	Kernel       string    // name of the kernels, or of ONNX Runtime
	Precision    kernel.Precision
}

// Probabilities holds the probability of each meaning. They sum to 1.
type Probabilities struct{ Supported, Contradicted, NotMentioned float64 }

// Probabilities returns the softmax over the logits, summed by the meaning of their labels.
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

// meaningOf returns the meaning of a well-known label name. The names are taken from
// NLI and fact-checking datasets and from classifiers trained on them.
func meaningOf(label string) (Meaning, bool) {
	name := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(label)))
	switch name {
	case "entailment", "entailed", "entails", "entail", "supported", "supports", "support",
		"consistent", "factually_consistent", "faithful", "grounded":
		return Supported, true
	case "contradiction", "contradicted", "contradicts", "contradict", "contradictory", "refuted", "refutes":
		return Contradicted, true
	case "neutral", "not_entailment", "not_entailed", "non_entailment", "not_supported", "unsupported",
		"not_mentioned", "not_enough_info", "hallucinated", "hallucination", "inconsistent",
		"factually_inconsistent", "not_consistent", "unfaithful", "not_faithful", "ungrounded", "not_grounded":
		return NotMentioned, true
	}
	return 0, false
}

// labels returns the label names of a classifier in the order of its logits.
// transformers omits id2label if the model has its two default labels.
func (c *config) labels() []string {
	names := make([]string, c.size("num_labels", 2, maxLabels))
	byID := make(map[string]any)
	if !c.get("id2label", &byID, "an object") {
		for i := range names {
			names[i] = "LABEL_" + strconv.Itoa(i)
		}
		return names
	}
	names = make([]string, len(byID))
	for i := range names {
		switch name := byID[strconv.Itoa(i)].(type) {
		case string:
			names[i] = name
		case float64: // some files have numbers
			names[i] = strconv.FormatFloat(name, 'g', -1, 64)
		case nil:
			c.fail("id2label", "has %d labels, but none with the id %d", len(byID), i)
			return nil
		default:
			c.fail("id2label", "label %d: want a string", i)
			return nil
		}
	}
	if len(names) > maxLabels {
		c.fail("id2label", "has %d labels, more than %d", len(names), maxLabels)
	}
	return names
}

// meanings returns the meaning of each label. It is taken from labelMap, whose keys
// must be labels, or else derived from the name of the label.
func meanings(labels []string, labelMap map[string]string) ([]Meaning, error) {
	known := map[string]Meaning{
		Supported.String(): Supported, Contradicted.String(): Contradicted, NotMentioned.String(): NotMentioned,
	}
	list := quoted(labels)
	for _, label := range slices.Sorted(maps.Keys(labelMap)) {
		if !slices.Contains(labels, label) {
			return nil, fmt.Errorf("label map: the model has no label %q; it has %s", label, list)
		}
		if _, ok := known[labelMap[label]]; !ok {
			return nil, fmt.Errorf("label map: %s: %q is not supported, contradicted or not_mentioned", label, labelMap[label])
		}
	}
	result := make([]Meaning, len(labels))
	var count [Contradicted + 1]int
	for i, label := range labels {
		m, ok := known[labelMap[label]]
		if !ok {
			m, ok = meaningOf(label)
		}
		if !ok {
			return nil, fmt.Errorf("label %.40q: unknown meaning; map each of %s to supported, contradicted or not_mentioned", label, list)
		}
		result[i] = m
		count[m]++
	}
	if count[Supported] == 0 || count[Supported] == len(labels) {
		return nil, fmt.Errorf("labels %s: at least one must mean supported and at least one must not", list)
	}
	return result, nil
}

// quoted joins up to 20 names for an error message.
func quoted(names []string) string {
	const limit = 20
	var list []string
	for _, name := range names[:min(len(names), limit)] {
		list = append(list, fmt.Sprintf("%.40q", name))
	}
	if len(names) > limit {
		list = append(list, fmt.Sprintf("and %d more", len(names)-limit))
	}
	return strings.Join(list, ", ")
}
