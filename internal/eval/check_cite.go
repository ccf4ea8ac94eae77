package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/result"
)

// checkCitations checks the citations of claim i.
func (c *Checker) checkCitations(r *result.Row, i int, a absent) *result.MismatchError {
	chunks := len(r.Contexts)
	if a.contexts {
		chunks = math.MaxInt32
	}
	for k := range r.Claims[i].Citations {
		cited := &r.Claims[i].Citations[k]
		err := c.checkCitation(cited, chunks, r.Status == result.Scored, a)
		if err != nil {
			err.Field = fmt.Sprintf("citation %d: %s", k, err.Field)
			return err
		}
	}
	return nil
}

func (c *Checker) checkCitation(cited *result.Citation, chunks int, scored bool, a absent) *result.MismatchError {
	if cited.Chunk < -1 || cited.Chunk >= chunks {
		return mismatch("chunk", strconv.Itoa(cited.Chunk), fmt.Sprintf("null or an id below %d, the number of contexts", chunks))
	}
	if judged, want := cited.Verdict != "", scored && cited.Chunk >= 0; judged != want {
		return mismatch("verdict", presence(judged), presence(want)+", since only a citation of a scored row that resolves has one")
	}
	want, err := span(&c.answer, cited.Start, cited.End, a.answer)
	if err == nil && !a.answer && want != cited.Text {
		err = mismatch("text", excerpt(cited.Text), excerpt(want)+", the answer from start to end")
	}
	return err
}

// checkCitationScores compares the citation scores with the verdicts. Rows do not record
// whether chunks of which none supports the claim alone support it together, so it checks
// a range.
func checkCitationScores(r *result.Row) error {
	if r.Citations == nil {
		return nil
	}
	if r.Status != result.Scored {
		if !math.IsNaN(r.Citations.Recall) || !math.IsNaN(r.Citations.Precision) {
			return mismatch("citation_recall and citation_precision", number(r.Citations.Recall)+" and "+number(r.Citations.Precision), "null, since the status is "+string(r.Status))
		}
		return nil
	}
	claims, supported, counted, good := len(r.Claims), 0, 0, 0
	// For each claim that several chunks may support together, the number of chunks that
	// it needs at least and at most.
	var minNeeded, maxNeeded []int
	for i := range r.Claims {
		chunks, alone, ok := citedChunks(r.Claims[i].Citations)
		if len(chunks) == 0 && ok {
			claims--
		}
		if len(chunks) == 0 || !ok {
			continue
		}
		counted += len(chunks)
		good += alone
		switch {
		case alone > 0:
			supported++
		case len(chunks) > 1:
			n := 2 // both of two chunks are needed
			if len(chunks) > n {
				n = 0
			}
			minNeeded, maxNeeded = append(minNeeded, n), append(maxNeeded, len(chunks))
		}
	}
	if claims == 0 {
		if !math.IsNaN(r.Citations.Recall) {
			return mismatch("citation_recall", number(r.Citations.Recall), "null, since all citations are unjudged")
		}
	} else if err := checkFraction("citation_recall", r.Citations.Recall, supported, supported+len(maxNeeded), claims); err != nil {
		return err
	}
	if counted == 0 {
		if !math.IsNaN(r.Citations.Precision) {
			return mismatch("citation_precision", number(r.Citations.Precision), "null, since no citation counts")
		}
		return nil
	}
	slices.Sort(minNeeded)
	slices.Sort(maxNeeded)
	low, high := good, good
	for k := range int(math.Round(r.Citations.Recall*float64(claims))) - supported {
		low, high = low+minNeeded[k], high+maxNeeded[len(maxNeeded)-1-k]
	}
	return checkFraction("citation_precision", r.Citations.Precision, low, high, counted)
}

// checkFraction checks that got is k/n for an integer k from low to high.
func checkFraction(field string, got float64, low, high, n int) error {
	k := math.Round(got * float64(n))
	if math.Abs(got-k/float64(n)) <= scoreError && k >= float64(low) && k <= float64(high) { // false for NaN
		return nil
	}
	want := fmt.Sprintf("%d of %d", low, n)
	if low < high {
		want = fmt.Sprintf("%d to %d of %d", low, high, n)
	}
	return mismatch(field, number(got), want)
}
