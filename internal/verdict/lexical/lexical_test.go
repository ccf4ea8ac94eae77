package lexical

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// splitAfterPeriods yields the sentences of text. A sentence ends at a period before a
// space or at the end of the text.
func splitAfterPeriods(text string, yield func(start, end int)) {
	start := 0
	for i := range len(text) {
		if text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ') {
			yield(start, i+1)
			start = i + 2
		}
	}
	if start < len(text) {
		yield(start, len(text))
	}
}

func newJudge(t testing.TB, opts Options) *Judge {
	t.Helper()
	if opts.Threshold == 0 {
		opts.Threshold = DefaultThreshold
	}
	if opts.Sentences == nil {
		opts.Sentences = splitAfterPeriods
	}
	j, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func newTask(question string, contexts []string, claims ...string) verdict.Task {
	task := verdict.Task{Question: question, Contexts: contexts}
	for i, c := range claims {
		task.Claims = append(task.Claims, extract.Claim{ID: i, Text: c})
	}
	return task
}

func judge(t testing.TB, j *Judge, task verdict.Task) []verdict.Verdict {
	t.Helper()
	vs, err := j.Judge(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return vs.Verdicts
}

const (
	einstein = "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist, widely held to be one of the greatest and most influential scientists of all time"
	bowl     = "The First AFL–NFL World Championship Game was an American football game played on January 15, 1967, at the Los Angeles Memorial Coliseum in Los Angeles."
)

func TestJudgeIgnoresNegatedChunk(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	negated, plain := "The drug is not effective.", "The drug is effective."
	for _, tt := range []struct {
		contexts []string
		label    verdict.Label
		chunks   string
	}{
		{[]string{negated, plain}, verdict.Supported, "[1]"},
		{[]string{plain, negated}, verdict.Supported, "[0]"},
		{[]string{"They say: " + negated, "As they wrote, " + plain, plain}, verdict.Supported, "[1 2]"},
		{[]string{negated, negated}, verdict.Contradicted, "[]"},
		{[]string{"It is old. " + negated, negated + " It is new."}, verdict.Contradicted, "[]"},
	} {
		v := judge(t, j, newTask("", tt.contexts, plain))[0]
		if v.Label != tt.label || fmt.Sprint(v.ChunkIDs) != tt.chunks {
			t.Errorf("%q: got %v with chunks %v (%s), want %v with chunks %s", tt.contexts, v.Label, v.ChunkIDs, v.Reason, tt.label, tt.chunks)
		}
	}
}

func TestCopyOfChunkChangesNothing(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, tt := range []struct {
		context, claim string
		want           verdict.Label
	}{
		{"The fine is at least $50.", "The fine is at most $50.", contradicted},
		{"The fine is at least $50.", "The fine is at least $50.", supported},
		{"All rooms have balconies.", "Not all rooms have balconies.", contradicted},
		{"All rooms have balconies.", "All of the rooms have balconies.", supported},
		{"The plan covers everyone under 65.", "The plan covers everyone over 65.", contradicted},
	} {
		for _, contexts := range [][]string{
			{tt.context},
			{tt.context, tt.context},
			{"This section describes the rules. " + tt.context, tt.context + " Details follow in the annex."},
			{tt.context, "The " + strings.Fields(tt.claim)[1] + " is new. " + tt.context},
			{tt.context, "As we wrote, " + tt.context},
		} {
			if v := judge(t, j, newTask("", contexts, tt.claim))[0]; v.Label != tt.want {
				t.Errorf("%q in %q: got %v %.3f (%s), want %v", tt.claim, contexts, v.Label, v.Score, v.Reason, tt.want)
			}
		}
	}
}

// Labels in test tables.
const (
	supported    = verdict.Supported
	contradicted = verdict.Contradicted
	notMentioned = verdict.NotMentioned
)

// A verdictTest is a claim about a context with the expected verdict.
type verdictTest struct {
	context, claim string
	want           verdict.Label
	reason         string // substring of the reason
}

func testVerdicts(t *testing.T, tests []verdictTest) {
	t.Helper()
	j := newJudge(t, Options{})
	for _, tt := range tests {
		v := judge(t, j, newTask("", []string{tt.context}, tt.claim))[0]
		if v.Label != tt.want || !strings.Contains(v.Reason, tt.reason) {
			t.Errorf("%q in %q: got %v %.3f (%s), want %v (%s)", tt.claim, tt.context, v.Label, v.Score, v.Reason, tt.want, tt.reason)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		{bowl, "The first superbowl was held on Jan 15, 1967", supported, ""},
		{einstein, "Einstein was born in Germany on 14th March 1879.", supported, ""},
		{einstein, "Einstein was born in Germany on 20th March 1879.", contradicted, "“20th March 1879” is not in the contexts (nearest: “14 March 1879”); chunk 0: “Albert"},
		{"The tower is 330 metres tall.", "The tower is 330 m tall.", supported, ""},
		{"The tower is 1,083 feet tall.", "The tower is 330 metres tall.", supported, ""},
		{"The tower is 330 metres tall.", "The tower is 300 metres tall.", contradicted, "“300 metres” is not in the contexts (nearest: “330 metres”)"},
		{"Three thousand people live in the village.", "3,000 people live in the village.", supported, ""},
		{"The launch was on 1967-01-15 in Florida.", "The launch was on Jan 15, 1967 in Florida.", supported, ""},
		{"The launch was on January 15, 1967 in Florida.", "The launch was on 1967-01-15 in Texas.", notMentioned, "Texas"},
		{"Sales grew by 12 percent in 2020.", "Sales grew by 12% in 2020.", supported, ""},
		{"Sales grew by 12 percent in 2020.", "Sales grew by 21% in 2020.", contradicted, "“21%” is not in the contexts (nearest: “12 percent”)"},
		{"The drug is not effective against influenza in children.", "The drug is effective against influenza in children.", contradicted, "the claim says “The drug is effective against"},
		{"The drug is effective against influenza in children.", "The drug is not effective against influenza in children.", contradicted, "the claim says “The drug is not effective against"},
		{"The new rule allows parking on weekdays.", "The old rule allows parking on weekdays.", contradicted, "say “new”, the claim says “old”"},
		{"The committee purchased two buildings in Lyon.", "The committee bought two buildings in Lyon.", supported, ""},
		{"Bananas are rich in potassium.", "The treaty was signed by nine ministers in Vienna.", notMentioned, ""},
		{"Das Museum wurde 1898 in Köln eröffnet.", "Das Museum wurde 1898 in Köln eröffnet.", supported, "stated in chunk 0: “Das Museum"},
		{"Der Mieter zahlt keine Kaution.", "Der Mieter zahlt eine Kaution.", notMentioned, ""},
		{"Der Mieter zahlt eine Kaution.", "Der Mieter zahlt keine Kaution.", contradicted, ""},
		{"Das Hotel hat keine Sauna, aber eine Bar.", "Das Hotel hat eine Bar.", supported, ""},
		{"Herr Müller wohnt in der Straße.", "Herr Mueller wohnt in der Strasse.", supported, ""},
		{"The hotel on the north shore of the lake has 14 guest rooms and a garden.", "The hotel on the north shore of the lake has 20 guest rooms and a garden.", contradicted, "“20” is not in the contexts (nearest: “14”)"},
		{"In 1989 the company opened a new factory in Munich for electric motors.", "In 1998 the company opened a new factory in Munich for electric motors.", contradicted, "the contexts say “1989”, not “1998”"},
		{"Apollo 11 was launched by NASA from Florida in July.", "Apollo 13 was launched by NASA from Florida in July.", notMentioned, "“13” is not in the contexts (nearest: “11”)"},
		{"The bridge over the river carries 14 trains.", "The bridge over the river carries 20 trains.", contradicted, "20"},
		{"Das Treffen fand am 14. März 1998 in Berlin statt.", "Das Treffen fand am 20. März 1998 in Berlin statt.", contradicted, "“20. März 1998” is not in the contexts (nearest: “14. März 1998”)"},
		{"Elle est née le 14 mars 1998.", "Elle est née le 20 mars 1998.", contradicted, "nearest: “14 mars 1998”"},
		{"人口は1500万人です。", "人口は1400万人です。", notMentioned, "“1400万” is not in the contexts (nearest: “1500万”)"},
		{"It was -5 degrees at night in the valley.", "It was 5 degrees at night in the valley.", contradicted, "the contexts say “-5 degrees”, not “5 degrees”"},
		{"Die Firma hat 1500 Mitarbeiter.", "Die Firma hat 1.500 Mitarbeiter.", supported, ""},
		{"東京都は日本の首都である。", "東京都は日本の首都である。", supported, ""},
		{"東京都は日本の首都である。", "大阪府は韓国の農村だった。", notMentioned, ""},
		{"One bookie has taken five bets for more than $ 10, 000 on the party.", "One bookie has taken five bets for more than $10,000 on the party.", supported, ""},
	})
}

func TestNotOnlyInAnyCase(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		{"Higher doses are not necessarily more effective.", "Higher Doses Are Not Necessarily More Effective", supported, ""},
		{"NOT ONLY EXPERTS USE THE TOOL.", "Not only experts use the tool.", supported, ""},
		{"NOT ONLY EXPERTS USE THE TOOL.", "Experts use the tool.", supported, ""},
		{"Not just experts use the tool.", "Not Just Experts Use the Tool.", supported, ""},
		{"Not Merely Experts Use the Tool.", "Not merely experts use the tool.", supported, ""},
	})
}

func TestAnswerInList(t *testing.T) {
	t.Parallel()
	const list = "Price: $25\nWaterproof: no\nWireless charging: No\nDual SIM: yes\nSuitable for children: no"
	for _, tt := range []verdictTest{
		{list, "It has wireless charging.", contradicted, "the contexts say “Wireless charging: No”, the claim says “It has wireless charging”"},
		{list, "It does not have wireless charging.", supported, "stated in chunk 0: “Wireless charging: No”"},
		{list, "It has no wireless charging.", supported, ""},
		{list, "Wireless charging: no", supported, ""},
		{list, "Wireless charging: yes", contradicted, ""},
		{list, "It is waterproof.", contradicted, ""},
		{list, "It is suitable for children.", contradicted, ""},
		{list, "It is not suitable for children.", supported, ""},
		{list, "It has dual SIM.", supported, ""},
		{list, "It does not have dual SIM.", contradicted, ""},
		{"The phone has no wireless charging.", "Wireless charging: no", supported, ""},
		{"The phone has wireless charging.", "Wireless charging: no", contradicted, ""},
		{"The answer was clear: no.", "The answer was clear.", supported, ""},
	} {
		v := judgeMarkup(t, tt.context, tt.claim)
		if v.Label != tt.want || !strings.Contains(v.Reason, tt.reason) {
			t.Errorf("%q in %q: got %v %.3f (%s), want %v (%s)", tt.claim, tt.context, v.Label, v.Score, v.Reason, tt.want, tt.reason)
		}
	}
}
