package compare

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// A light is what is held of a row of the baseline while the candidate is read.
type light struct {
	id                         string
	next                       int // the next row with that id; 0 for none, for the first row is nobody's next
	status                     result.Status
	faithfulness               float64
	question, answer, contexts uint64 // of the texts
	claims                     []mark
	group                      string
	grouped                    bool
	paired                     bool
}

// A changed is a compared row that is not as it was. Its rows are by their place
// in the files, from 0.
type changed struct {
	baseline, candidate int
	difference          float64
	lost, gained        int
}

// A pairing pairs the rows of two runs and counts what differs.
type pairing struct {
	o    *Options
	c    *Comparison
	seed maphash.Seed

	rows  []light
	first map[string]int // the first row of an id that is not paired, and then the next
	last  map[string]int // of ids that came twice
	came  map[string]int // how often the candidate has had an id

	n                   int // rows of the candidate
	sample              stats.Sample
	groups              stats.Groups
	names               map[string]bool
	alone               int // rows without a group
	regrouped           int // rows with another group than in the baseline
	before, after       mean
	questions, contexts Named // paired rows with other ones
	unscored            map[[2]result.Status]*Named
	changed             []changed
}

// A mean adds up scores. The sum is over rows in the order of the candidate, so
// that equal files give equal bits.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum += x; m.n++ }

func (m *mean) value() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.sum / float64(m.n)
}

func newPairing(o *Options) *pairing {
	return &pairing{
		o: o, c: &Comparison{Alpha: o.Alpha, Cluster: o.Cluster != nil}, seed: maphash.MakeSeed(),
		first: make(map[string]int), last: make(map[string]int), came: make(map[string]int),
		names: make(map[string]bool), unscored: make(map[[2]result.Status]*Named),
	}
}

// baseline takes a row of the baseline.
func (p *pairing) baseline(r *result.Row) {
	p.c.Baseline.count(r)
	at := len(p.rows)
	l := p.light(r)
	p.rows = append(p.rows, l)
	if _, twice := p.first[l.id]; !twice {
		p.first[l.id] = at
		return
	}
	p.c.Baseline.Duplicates.add(l.id)
	before, ok := p.last[l.id]
	if !ok {
		before = p.first[l.id]
	}
	p.rows[before].next = at
	p.last[l.id] = at
}

// light returns what is held of r.
func (p *pairing) light(r *result.Row) light {
	l := light{
		id: r.ID, status: r.Status, faithfulness: r.Faithfulness, claims: p.marks(r),
		question: maphash.String(p.seed, r.Question), answer: maphash.String(p.seed, r.Answer),
		contexts: p.texts(r.Contexts),
	}
	if p.o.Cluster != nil {
		l.group, l.grouped = p.o.Cluster(r)
	}
	return l
}

// texts hashes a list of texts.
func (p *pairing) texts(texts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	var size [8]byte
	for _, s := range texts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		_, _ = h.Write(size[:]) // a hash takes everything
		_, _ = h.WriteString(s)
	}
	return h.Sum64()
}

// candidate takes a row of the candidate, after all of the baseline.
func (p *pairing) candidate(r *result.Row) {
	p.c.Candidate.count(r)
	place := p.n
	p.n++
	id := r.ID
	if p.came[id]++; p.came[id] > 1 {
		p.c.Candidate.Duplicates.add(id)
	}
	at, ok := p.first[id]
	if !ok {
		p.c.OnlyCandidate.add(id)
		return
	}
	was := &p.rows[at]
	was.paired = true
	if was.next > 0 {
		p.first[id] = was.next
	} else {
		delete(p.first, id)
	}
	p.pair(at, place, was, p.light(r))
	was.claims = nil // has been compared
}

// pair compares two rows of one id.
func (p *pairing) pair(at, place int, was *light, is light) {
	p.c.Paired++
	if was.question != is.question {
		p.questions.add(is.id)
	}
	if was.contexts != is.contexts {
		p.contexts.add(is.id)
	}
	if math.IsNaN(was.faithfulness) || math.IsNaN(is.faithfulness) {
		way := [2]result.Status{was.status, is.status}
		if p.unscored[way] == nil {
			p.unscored[way] = &Named{}
		}
		p.unscored[way].add(is.id)
		return
	}
	d := is.faithfulness - was.faithfulness
	p.c.Compared++
	p.c.Histogram[bin(d)]++
	switch {
	case d > slack:
		p.c.Better++
	case d < -slack:
		p.c.Worse++
	default:
		p.c.Same++
	}
	p.before.add(was.faithfulness)
	p.after.add(is.faithfulness)
	p.unit(was, &is, d)
	same := was.answer == is.answer
	if same {
		p.c.SameAnswers++
	}
	lost, gained := p.verdicts(was.claims, is.claims, same)
	if math.Abs(d) > slack || lost+gained > 0 {
		p.changed = append(p.changed, changed{at, place, d, lost, gained})
	}
}

// unit counts the difference of a row, by itself or in its group. The group is
// that of the baseline, and of the candidate where the baseline has none; a row
// that has none at all is a group by itself.
func (p *pairing) unit(was, is *light, d float64) {
	if p.o.Cluster == nil {
		p.sample.Add(d, 1)
		return
	}
	name, ok := was.group, was.grouped
	if was.grouped && is.grouped && was.group != is.group {
		p.regrouped++
	}
	if !ok {
		name, ok = is.group, is.grouped
	}
	if ok {
		name = "=" + name
	} else {
		p.alone++
		name = strconv.Itoa(p.c.Compared)
	}
	if !p.names[name] {
		p.names[name] = true
		p.c.Groups++
	}
	p.groups.Add(name, d, 1)
}

// verdicts counts what became of the claims of two rows.
func (p *pairing) verdicts(was, is []mark, same bool) (lost, gained int) {
	c := &p.c.Claims
	for _, m := range match(was, is, same) {
		switch {
		case m.Candidate < 0:
			c.OnlyBaseline++
			c.OnlyBaselineSupported += was[m.Baseline].one()
		case m.Baseline < 0:
			c.OnlyCandidate++
			c.OnlyCandidateSupported += is[m.Candidate].one()
		default:
			c.Matched++
			switch is[m.Candidate].one() - was[m.Baseline].one() {
			case 1:
				gained++
			case -1:
				lost++
			}
		}
	}
	c.Lost += lost
	c.Gained += gained
	for _, m := range was {
		p.c.Baseline.Claims++
		p.c.Baseline.Supported += m.one()
	}
	for _, m := range is {
		p.c.Candidate.Claims++
		p.c.Candidate.Supported += m.one()
	}
	return lost, gained
}

// conclude returns the comparison, but for the rows that have to be read again.
func (p *pairing) conclude() *Comparison {
	c := p.c
	for i := range p.rows {
		if !p.rows[i].paired {
			c.OnlyBaseline.add(p.rows[i].id)
		}
	}
	for way, rows := range p.unscored {
		c.Unscored = append(c.Unscored, Transition{way[0], way[1], *rows})
	}
	slices.SortFunc(c.Unscored, func(a, b Transition) int { return cmp.Or(rank(a.From)-rank(b.From), rank(a.To)-rank(b.To)) })
	c.Baseline.Mean, c.Candidate.Mean = p.before.value(), p.after.value()
	sample := &p.sample
	if c.Cluster {
		sample = p.groups.Sample()
	}
	c.Figures = stats.Compare(sample, stats.Options{Confidence: 1 - p.o.Alpha, Seed: p.o.Seed})
	c.Changed = len(p.changed)
	return c
}

// chosen returns the changed rows that are looked into, the worst first: of more
// than most, three quarters are the worst and the others the best.
func (p *pairing) chosen(most int) []changed {
	slices.SortFunc(p.changed, func(a, b changed) int {
		return cmp.Or(
			cmp.Compare(math.Round(a.difference/slack), math.Round(b.difference/slack)),
			cmp.Compare(b.lost-b.gained, a.lost-a.gained),
			cmp.Compare(a.candidate, b.candidate),
		)
	})
	if len(p.changed) <= most {
		return p.changed
	}
	best := most / 4
	return append(p.changed[:most-best:most-best], p.changed[len(p.changed)-best:]...)
}

// rank orders statuses: scored, without claims, failed.
func rank(s result.Status) int {
	return slices.Index([]result.Status{result.Scored, result.NoClaims, result.Failed}, s)
}
