package values

import "testing"

func TestReadGivesNumbersInTablesTheUnitOfTheirHeading(t *testing.T) {
	t.Parallel()
	text := Read("| Dam | Height (m) | Weight (kt) | Cost ($m) | Output (%) | Staff | Built |\n|---|---|--:|---|---|---|---|\n" +
		"| Arlen 2 | 31.5 | 4 | 12.5 | 80 | 7 | 1985 |\nAfter the table, 5 trees.\n\nName | Weight (kg)\n--- | ---\nFerry | 900\n")
	want := []string{"2", "31.5 metres", "4", "$12.5 million", "80%", "7", "1985", "5", "900 kg"}
	if len(text.Values) != len(want) {
		t.Fatalf("got values %v, want %v", text.Values, want)
	}
	for i := range want {
		if got := text.Values[i].String(); got != want[i] {
			t.Errorf("value %d: got %s, want %s", i, got, want[i])
		}
	}
}
