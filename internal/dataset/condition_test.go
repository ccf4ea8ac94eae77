package dataset

import "testing"

func TestConditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		condition, value string
		want             bool
	}{
		{"promptIdx=1", "1", true},
		{"promptIdx=1", "1.0", true},
		{"promptIdx=1", `"1"`, true},
		{"promptIdx=1", "2", false},
		{"version=1.1", "1.10", false},
		{"version=1.10", "1.10", true},
		{"version!=1.1", "1.10", true},
		{"id=1", `"01"`, false},
		{"promptIdx != 1", "2", true},
		{"promptIdx!=1", "1", false},
		{"model=gpt=4", `"gpt=4"`, true},
		{"model=", "null", true},
		{"model!=a", "null", true},
		{"ok=true", "true", true},
		{"latency<0.5", "0.4", true},
		{"latency<0.5", `"0.4"`, true},
		{"latency<0.5", "0.5", false},
		{"latency<=0.5", "0.5", true},
		{"latency>1e3", "2000", true},
		{"latency>=1e3", "999", false},
		{"latency<5", "null", false},
		{"latency>5", `"fast"`, false},
		{"trace=1234567890123456789", "1234567890123456788", false},
		{"trace=1234567890123456789", "1234567890123456789", true},
		{"trace=1234567890123456789", "1.234567890123456789e18", true},
		{"trace>12345678901234567890", "12345678901234567891", true},
		{"trace<1234567890123456789", "1234567890123456788", true},
		{"lang= en ", `" en\n"`, true},
		{"lang=", `" "`, true},
		{"latency<0.5", `" 0.4 "`, true},
		{"tags[*]=a", `["b"," a "]`, true},
		{"tags[*]=a", `["b","c"]`, false},
		{"tags[*]=a", `"a"`, true},
		{"tags[*]!=a", `["b","a"]`, false},
		{"tags[*]!=a", `["b","c"]`, true},
		{"tags[*].n>=2", "[1,2]", true},
		{"tags=a", `["a"]`, false},
	} {
		c, err := ParseCondition(tt.condition)
		if err != nil {
			t.Errorf("%q: %v", tt.condition, err)
		} else if got := c.Holds([]byte(tt.value)); got != tt.want {
			t.Errorf("%q for %s: got %t, want %t", tt.condition, tt.value, got, tt.want)
		}
	}
	for _, text := range []string{"", "promptIdx", "=1", "a!b", "latency<fast"} {
		if c, err := ParseCondition(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, c)
		}
	}
}
