package lexical

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestReasonListsMissingWords(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const far = "Nine ministers met in the town hall for a whole week in spring."
	for _, c := range []struct {
		contexts []string
		claim    string
		want     string // suffix of the reason
	}{
		{[]string{far, "Bananas are rich in potassium."}, "Vienna bananas met ministers.", "; not in the contexts: Vienna"},
		{[]string{"Zürich is large.", far}, "The treaty of Zurich bans whaling.", "; not in the contexts: whaling, bans, treaty"},
		{[]string{"It answers every e-mail.", far}, "The treaty bans email.", "; not in the contexts: bans, treaty"},
		{[]string{"They co-operate.", far}, "Cooperate with a treaty.", "; not in the contexts: treaty"},
		{[]string{"The museum’s garden.", far}, "A treaty of museum's whaling.", "; not in the contexts: whaling, treaty"},
		{[]string{"Discovered in spring.", far}, "The treaty of covered whaling.", "; not in the contexts: whaling, treaty"},
		{[]string{"Nothing.", far}, "Signed signed SIGNED " + strings.Repeat("x", 80) + ".", "; not in the contexts: Signed"},
	} {
		v := judge(t, j, newTask("", c.contexts, c.claim))[0]
		if v.Label != verdict.NotMentioned || !strings.HasPrefix(v.Reason, "nearest passage in chunk ") || !strings.HasSuffix(v.Reason, c.want) {
			t.Errorf("%q: got %v (%s), want suffix %q", c.claim, v.Label, v.Reason, c.want)
		}
	}
}

func TestNumberWithDifferentSeparatorIsNotMissing(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	const claim = "The tower in Porto has 1,250 windows."
	for context, missing := range map[string]bool{
		"The tower in Porto has 900 windows.":                  true,
		"The tower in Porto has 900 windows. Page 1,250.":      false,
		"The tower in Porto has 900 windows. Page 1250.":       false,
		"The tower in Porto has 900 windows. Page 1 250.":      false,
		"The tower in Porto has 900 windows. Page 1\u202f250.": false,
		"The tower in Porto has 900 windows. Page 1. 250.":     false,
		"The tower in Porto has 900 windows. Page 1 or 250.":   true,
	} {
		v := judge(t, j, newTask("", []string{context}, claim))[0]
		if got := strings.Contains(v.Reason, "“1,250” is not in the contexts"); v.Label != verdict.Supported && got != missing {
			t.Errorf("%q: got missing %v (%s), want %v", context, got, v.Reason, missing)
		}
	}
}

func TestReasonQuotesPassage(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, c := range []struct{ context, claim, want string }{
		{"It rained. The bridge was closed for repairs in May.", "The bridge was closed for repairs.", "stated in chunk 0: “The bridge was closed for repairs in May.”"},
		{"It rained. The bridge was closed for repairs in May.", "The bridge was closed for long repairs.", "close match in chunk 0: “The bridge was closed for repairs in May.”; not in the contexts: long"},
		{"It rained. The drug is not effective in children.", "The drug is effective in children.", "the contexts say “The drug is not effective in children”, the claim says “The drug is effective in children”; chunk 0"},
	} {
		v := judge(t, j, newTask("", []string{c.context}, c.claim))[0]
		if v.Reason != c.want {
			t.Errorf("%q: got %s, want %s", c.claim, v.Reason, c.want)
		}
	}
}

func TestReasonNamesMissingWords(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, c := range []struct{ context, claim, want string }{
		{ // a second passage
			"The old bridge over the Elbe was closed for repairs in May. It rained. Engineers found cracks in a pillar of the bridge.",
			"The old bridge over the Elbe was closed for repairs in May, after engineers found cracks in a pillar.",
			"close match in chunk 0: “The old bridge over the Elbe was closed for repairs in May.” and “Engineers found cracks in a pillar of the bridge.”",
		},
		{ // synonyms, other forms and words that say little
			"Nurses at the clinic receive free parking. A sauna opened last week.",
			"Nurses at the clinic receive a free sauna, three bicycles and unlimited marzipan from Denmark.",
			"nearest passage in chunk 0: “Nurses at the clinic receive free parking.”; elsewhere in the contexts: sauna; not in the contexts: marzipan, bicycles, Denmark",
		},
		{ // another language
			"Каждая компания получила письма.",
			"Компании получили подарки.",
			"nearest passage in chunk 0: “Каждая компания получила письма.”; not in the contexts: подарки",
		},
		{ // a word that links
			"Organizations were targeted by a scam.",
			"Moreover, scammers were targeted by organizations and by marmots.",
			"nearest passage in chunk 0: “Organizations were targeted by a scam.”; not in the contexts: scammers, marmots",
		},
		{ // the second passage states the date
			"Marion Smith lived in Blackville, New Brunswick. It was cold. Marion died four years later on 24 January 1957.",
			"Smith died in Blackville, New Brunswick, on 24 January 1957.",
			"close match in chunk 0: “Marion Smith lived in Blackville, New Brunswick.” and “Marion died four years later on 24 January 1957.”",
		},
		{ // a repeated sentence, and one that only has one word in common
			"The nurses at the old clinic in Leeds receive free parking. The nurses at the old clinic in Leeds receive free parking. It was night.",
			"The nurses at the old clinic in Leeds receive free parking on every night shift.",
			"close match in chunk 0: “The nurses at the old clinic in Leeds receive free parking.”; not in the contexts: shift",
		},
	} {
		v := judge(t, j, newTask("", []string{c.context}, c.claim))[0]
		if v.Reason != c.want {
			t.Errorf("%q: got %v (%s), want %s", c.claim, v.Label, v.Reason, c.want)
		}
	}
}

func TestReasonIgnoresNumbersInMarkers(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	for _, c := range []struct{ context, claim, not string }{
		{"The hotel on the lake [14] has guest rooms.", "The hotel on the lake has 20 guest rooms.", "“14”"},
		{"Hotels:\n14. The hotel on the lake has guest rooms.", "The hotel on the lake has 20 guest rooms.", "“14”"},
		{"The hotel on the lake has guest rooms.", "The hotel on the lake has [20] guest rooms and lifts.", "“20”"},
		{"The hotel on the lake has guest rooms.", "20. The hotel on the lake has guest rooms and lifts.", "“20”"},
	} {
		v := judge(t, j, newTask("", []string{c.context}, c.claim))[0]
		if strings.Contains(v.Reason, c.not) {
			t.Errorf("%q: got %v (%s), want no %s", c.claim, v.Label, v.Reason, c.not)
		}
	}
}

func TestClaimWithoutSharedWordsQuotesFirstSentence(t *testing.T) {
	t.Parallel()
	j := newJudge(t, Options{})
	contexts := []string{" ", "...", "Bananas are rich in potassium. It rained."}
	const want = "Bananas are rich in potassium."
	for _, claim := range []string{"Xyz qqq.", "!"} {
		v := judge(t, j, newTask("", contexts, "It rained.", claim))[1]
		if len(v.Evidence) != 1 || v.Evidence[0].Quote != want || v.Evidence[0].Chunk != 2 || !strings.Contains(v.Reason, want) {
			t.Errorf("%q: got %+v (%s), want %q", claim, v.Evidence, v.Reason, want)
		}
	}
	if v := judge(t, j, newTask("", []string{"", " \n"}, "It rained."))[0]; len(v.Evidence) > 0 || v.Reason != "the contexts are empty" {
		t.Errorf("blank contexts: got %+v (%s), want no evidence", v.Evidence, v.Reason)
	}
	if v := judge(t, j, newTask("", []string{"", "..."}, "It rained."))[0]; len(v.Evidence) != 1 || v.Evidence[0].Quote != "..." {
		t.Errorf("punctuation only: got %+v, want it as evidence", v.Evidence)
	}
}

func TestSearchIsLimited(t *testing.T) {
	t.Parallel()
	contexts := []string{strings.Repeat("a letter. ", 1<<16)}
	var s searcher
	searches := 0
	for s.absent(contexts, strconv.Itoa(searches)) && searches < 1<<12 {
		searches++
	}
	if limit := searchesPerByte + minSearchBytes/len(contexts[0]) + 1; searches == 0 || searches > limit {
		t.Errorf("got %d searches, want 1 to %d", searches, limit)
	}
}
