package encoder

// Pair is a premise and a hypothesis.
type Pair struct{ Premise, Hypothesis string }
