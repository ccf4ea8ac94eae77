package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// citations checks the citations of claim i.
func (c *Checker) citations(r *Result, i int, absent Absent) *MismatchError {
	if r.Cited == nil {
		return nil
	}
	chunks := len(r.Row.Contexts)
	if absent.Contexts {
		chunks = math.MaxInt32
	}
	for k := range r.Cited.Citations[i] {
		cited := &r.Cited.Citations[i][k]
		err := c.citation(cited, chunks, r.Status == Scored, absent)
		if err != nil {
			err.Field = fmt.Sprintf("citation %d: %s", k, err.Field)
			return err
		}
	}
	return nil
}

func (c *Checker) citation(cited *Citation, chunks int, scored bool, absent Absent) *MismatchError {
	if cited.Chunk < -1 || cited.Chunk >= chunks {
		return mismatch("chunk", strconv.Itoa(cited.Chunk), fmt.Sprintf("null or an id below %d, the number of contexts", chunks))
	}
	if want := scored && cited.Chunk >= 0; cited.Judged != want {
		return mismatch("verdict", presence(cited.Judged), presence(want)+", since only a citation of a scored row that resolves has one")
	}
	there, err := span(&c.answer, cited.Start, cited.End, absent.Answer)
	if err == nil && !absent.Answer && there != cited.Text {
		err = mismatch("text", excerpt(cited.Text), excerpt(there)+", the answer from start to end")
	}
	return err
}

// citationScores compares the scores of the citations with their verdicts. Where no
// chunk that a claim cites supports it alone, it is not known whether several do
// together.
func (c *Checker) citationScores(r *Result) error {
	if r.Cited == nil {
		return nil
	}
	if r.Status != Scored {
		if !math.IsNaN(r.Cited.Recall) || !math.IsNaN(r.Cited.Precision) {
			return mismatch("citation_recall and citation_precision", number(r.Cited.Recall)+" and "+number(r.Cited.Precision), "null, since the status is "+r.Status.String())
		}
		return nil
	}
	supported, counted, good := 0, 0, 0
	var least, most []int // of the claims that several chunks may support together, the chunks that they may need
	for i := range r.Claims {
		chunks, alone, ok := citedChunks(r.Cited.Citations[i])
		if !ok {
			continue
		}
		counted += len(chunks)
		good += alone
		switch {
		case alone > 0:
			supported++
		case len(chunks) > 1:
			n := 2 // each of two is needed
			if len(chunks) > n {
				n = 0
			}
			least, most = append(least, n), append(most, len(chunks))
		}
	}
	if err := checkShare("citation_recall", r.Cited.Recall, supported, supported+len(most), len(r.Claims)); err != nil {
		return err
	}
	if counted == 0 {
		if !math.IsNaN(r.Cited.Precision) {
			return mismatch("citation_precision", number(r.Cited.Precision), "null, since no citation counts")
		}
		return nil
	}
	slices.Sort(least)
	slices.Sort(most)
	low, high := good, good
	for k := range int(math.Round(r.Cited.Recall*float64(len(r.Claims)))) - supported {
		low, high = low+least[k], high+most[len(most)-1-k]
	}
	return checkShare("citation_precision", r.Cited.Precision, low, high, counted)
}

// checkShare checks that a share is a whole number from low to high of n.
func checkShare(field string, got float64, low, high, n int) error {
	k := math.Round(got * float64(n))
	if math.Abs(got-k/float64(n)) <= scoreError && k >= float64(low) && k <= float64(high) { // so written, it catches NaN
		return nil
	}
	want := fmt.Sprintf("%d of %d", low, n)
	if low < high {
		want = fmt.Sprintf("%d to %d of %d", low, high, n)
	}
	return mismatch(field, number(got), want)
}
