package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A Condition compares a column of a row with a value.
type Condition struct {
	Column string // name or path
	op     string
	value  string
}

// ParseCondition parses COLUMN=VALUE, or the same with !=, <, <=, > or >=. The operator is
// the first one in text.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=<>!")
	if at <= 0 || text[at] == '!' && !strings.HasPrefix(text[at:], "!=") {
		return Condition{}, fmt.Errorf("%q is not a condition: want COLUMN=VALUE, or !=, <, <=, > or >= in place of =", text)
	}
	c := Condition{Column: strings.TrimSpace(text[:at]), op: text[at : at+1], value: text[at+1:]}
	if text[at] != '=' && strings.HasPrefix(c.value, "=") {
		c.op, c.value = text[at:at+2], c.value[1:]
	}
	c.value = strings.TrimSpace(c.value)
	if _, err := strconv.ParseFloat(c.value, 64); err != nil && c.op[0] != '=' && c.op[0] != '!' {
		return Condition{}, fmt.Errorf("%q: %s compares numbers, but %q is not a number", text, c.op, c.value)
	}
	return c, nil
}

// Holds reports whether the condition holds for a kept column with the given JSON value. A
// null or missing value equals the empty text. Texts are equal if they are identical; numbers
// also if they have the same value, such as 2 and 2.0, but not 1.1 and 1.10. Other comparisons with a missing value or
// with text that is not a number are false. Blanks around a text do not count. A column with [*] is equal to a value, or
// less or greater, if one of its values is.
func (c *Condition) Holds(value []byte) bool {
	var values []json.RawMessage
	if strings.Contains(c.Column, "[*]") && json.Unmarshal(value, &values) == nil && values != nil {
		one := Condition{op: strings.TrimPrefix(c.op, "!"), value: c.value}
		return slices.ContainsFunc(values, func(v json.RawMessage) bool { return one.Holds(v) }) == (c.op != "!=")
	}
	text := string(bytes.TrimSpace(value))
	var s string
	isText := false
	switch {
	case text == "null":
		text = ""
	case strings.HasPrefix(text, `"`) && json.Unmarshal(value, &s) == nil:
		text, isText = strings.TrimSpace(s), true
	}
	a, notNumber := strconv.ParseFloat(text, 64)
	b, notNumeric := strconv.ParseFloat(c.value, 64)
	numbers := notNumber == nil && notNumeric == nil
	if numbers && a == b { // perhaps only as floats
		x, isInteger := new(big.Int).SetString(text, 10)
		if y, ok := new(big.Int).SetString(c.value, 10); ok && isInteger {
			a, b = float64(x.Cmp(y)), 0
		}
	}
	equal := text == c.value || !isText && numbers && a == b && !isVersion(text) && !isVersion(c.value)
	if c.op == "=" || c.op == "!=" {
		return equal == (c.op == "=")
	}
	return numbers && (a < b && c.op[0] == '<' || a > b && c.op[0] == '>' || a == b && strings.HasSuffix(c.op, "="))
}

// isVersion reports whether a number ends in a zero that only a version has, as 1.10.
func isVersion(number string) bool {
	return strings.Contains(number, ".") && strings.HasSuffix(number, "0") && !strings.HasSuffix(number, ".0")
}
