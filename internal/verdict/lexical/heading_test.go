package lexical

import (
	"strings"
	"testing"
)

func TestItemsAreJudgedWithTheirHeading(t *testing.T) {
	t.Parallel()
	const (
		trip    = "Included:\n- Flights\n- Lunch on day 1\n\nNot included:\n- Travel insurance\n- Lunch on day 2"
		inline  = "Included: flights and hotel. Not included: travel insurance, lunch and dinner."
		rules   = "# Rules\n\n## Prohibited items\n* Glass bottles\n* Umbrellas\n\n## Allowed items\n* Small bags"
		faq     = "**Can I bring my dog?**\nDogs are welcome on the terrace.\n\n**What is not allowed?**\n- Smoking"
		closed  = "The museum is closed on:\n- Mondays\n- New Year's Day"
		cover   = "What we don't cover:\n1. Damage caused by pets\nWhat we cover:\n1. Theft of jewellery"
		removed = "### Removed\n- Support for Python 3.8\n### Added\n- Support for Python 3.13"
		sights  = "Things not to miss:\n- The old bridge was built in 1935.\n- The market opens on Sundays."
	)
	testSupport(t, false, [][2]string{
		{trip, "Travel insurance is included."},
		{trip, "Flights are not included."},
		{trip, "Lunch is included on day 2."},
		{inline, "Travel insurance is included."},
		{rules, "Glass bottles are allowed."},
		{rules, "Small bags are prohibited."},
		{faq, "Smoking is allowed."},
		{closed, "The museum is open on Mondays."},
		{cover, "The policy covers damage caused by pets."},
		{cover, "Theft of jewellery is not covered."},
		{removed, "Support for Python 3.8 was added."},
	})
	testSupport(t, true, [][2]string{
		{trip, "Travel insurance is not included."},
		{trip, "Flights are included."},
		{trip, "Lunch is included on day 1."},
		{inline, "Travel insurance is not included."},
		{inline, "Flights are included."},
		{rules, "Glass bottles are prohibited."},
		{rules, "Small bags are allowed."},
		{faq, "Smoking is not allowed."},
		{faq, "Dogs are allowed on the terrace."},
		{closed, "The museum is closed on Mondays."},
		{cover, "The policy does not cover damage caused by pets."},
		{cover, "The policy covers theft of jewellery."},
		{removed, "Support for Python 3.8 was removed."},
		{removed, "Support for Python 3.13 was added."},
		{sights, "The old bridge was built in 1935."},
		{sights, "The market is open on Sundays."},
	})
}

func TestHeadingOf(t *testing.T) {
	t.Parallel()
	far := "Not included:\n" + strings.Repeat("- an item\n", 1000)
	for _, c := range []struct{ text, item, want string }{
		{"Not included:\n- a\n\n- b", "b", "Not included"},
		{"**Closed on**\n1. a\n2) b", "b", "Closed on"},
		{"Not included:\nIt was built in 1935.\n- b", "b", ""},
		{"a\nb", "b", ""},
		{far + "- b", "b", ""},
		{"- b", "b", ""},
	} {
		if got := headingOf(c.text, strings.LastIndex(c.text, c.item)); got != c.want {
			t.Errorf("headingOf(%.40q): got %q, want %q", c.text, got, c.want)
		}
	}
}
