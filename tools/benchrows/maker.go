package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A maker makes rows: of two contexts of four sentences each, and an answer of
// three, of which two are taken from them and one is new.
type maker struct {
	random                        *rand.Rand
	things, places, verbs, months []string
	buf                           []byte
}

func newMaker(seed uint64) *maker {
	return &maker{
		random: rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // reproducible on purpose
		things: strings.Fields("bridge council museum harbour company festival railway library garden treaty market school theatre mine canal airport hospital tower factory stadium"),
		places: strings.Fields("Lisbon Oslo Nairobi Lima Kyoto Geneva Porto Bergen Quito Dakar Hanoi Turin Leipzig Galway Perth Boston Austin Cusco Izmir Tallinn"),
		verbs:  strings.Fields("opened closed supported visited bought sold rejected restored financed inspected praised crossed designed measured filmed"),
		months: strings.Fields("January February March April May June July August September October November December"),
	}
}

// row makes the next row, whose place is i.
func (m *maker) row(i int) row {
	var facts [8]string
	for j := range facts {
		facts[j] = m.fact()
	}
	question := "What is known of the " + m.pick(m.things) + "?"
	first, second := facts[m.random.IntN(len(facts))], facts[m.random.IntN(len(facts))]
	return row{
		ID: fmt.Sprintf("row-%08d", i), Question: question,
		Answer:   first + " " + second + " " + m.fact(),
		Contexts: []string{strings.Join(facts[:4], " "), strings.Join(facts[4:], " ")},
	}
}

// fact makes a sentence.
func (m *maker) fact() string {
	b := m.buf[:0]
	word := func(before, word string) { b = append(append(b, before...), word...) }
	number := func(before string, n int) { b = strconv.AppendInt(append(b, before...), int64(n), 10) }
	word("The ", m.pick(m.things))
	word(" of ", m.pick(m.places))
	word(" ", m.pick(m.verbs))
	word(" the ", m.pick(m.things))
	number(" on ", 1+m.random.IntN(28))
	word(" ", m.pick(m.months))
	number(" ", 1800+m.random.IntN(220))
	number(", and about ", 100*(1+m.random.IntN(400)))
	word(" people ", m.pick(m.verbs))
	b = append(b, " it."...)
	m.buf = b
	return string(b)
}

func (m *maker) pick(words []string) string { return words[m.random.IntN(len(words))] }
