package lexical

import (
	"reflect"
	"testing"
)

// A random seed prevents crafted hash collisions.
func TestTableSeedsAreRandom(t *testing.T) {
	seed := func() uint64 { return reflect.ValueOf(newScratch().keys).Elem().FieldByName("seed").Uint() }
	if first, second := seed(), seed(); first == second {
		t.Errorf("got seed %d twice, want different seeds", first)
	}
}
