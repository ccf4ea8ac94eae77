package lexical

import (
	"reflect"
	"testing"
)

// Words that all fall on one place of a table in one run fall on others in the
// next, so that no text can be written to make a row slow.
func TestWhereAKeyLiesIsNobodysToChoose(t *testing.T) {
	seed := func() uint64 { return reflect.ValueOf(newScratch().keys).Elem().FieldByName("seed").Uint() }
	if first, second := seed(), seed(); first == second {
		t.Errorf("the seed is always %d", first)
	}
}
