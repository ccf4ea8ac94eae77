package lexical

import (
	"reflect"
	"testing"
)

// With a random seed no text can be written to cause collisions in the tables.
func TestTableSeedsAreRandom(t *testing.T) {
	seed := func() uint64 { return reflect.ValueOf(newScratch().keys).Elem().FieldByName("seed").Uint() }
	if first, second := seed(), seed(); first == second {
		t.Errorf("got seed %d twice, want different seeds", first)
	}
}
