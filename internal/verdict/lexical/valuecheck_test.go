package lexical

import "testing"

func TestJudgeComparesValues(t *testing.T) {
	t.Parallel()
	testVerdicts(t, []verdictTest{
		{"The entry fee is $10 and the guide costs $25.", "The entry fee and the guide cost $35 in total.", notMentioned, "“$35” is not in the contexts"},
		{"The entry fee is $10 and the guide costs $25.", "The entry fee is $12.", contradicted, ""},
		{"The fleet has 4 fishing boats, 9 rowing boats and a raft.", "The fleet has 4 fishing boats.", supported, ""},
		{"The fleet has 4 fishing boats, 9 rowing boats and a raft.", "The fleet has 9 fishing boats.", contradicted, "the contexts say “4”, not “9”"},
		{"The tour takes 90 minutes.", "The tour takes an hour and a half.", supported, ""},
		{"The tour takes 90 minutes.", "The tour takes four hours.", contradicted, ""},
		{"The plant sold 3,898,747 units last year.", "The plant sold about 3.9 million units last year.", supported, ""},
		{"The plant sold 3,898,747 units last year.", "The plant sold about 4.8 million units last year.", notMentioned, ""},
		{"The gate opens at 09:00.", "The gate opens at 9 am.", supported, ""},
	})
}
