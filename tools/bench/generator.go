package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator generates rows with two contexts of four sentences and an answer of three
// sentences, two of them from the contexts.
type generator struct {
	random                        *rand.Rand
	things, places, verbs, months []string
}

func newGenerator(seed uint64) *generator {
	return &generator{
		random: rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // reproducible on purpose
		things: strings.Fields("bridge council museum harbour company festival railway library garden treaty market school theatre mine canal airport hospital tower factory stadium"),
		places: strings.Fields("Lisbon Oslo Nairobi Lima Kyoto Geneva Porto Bergen Quito Dakar Hanoi Turin Leipzig Galway Perth Boston Austin Cusco Izmir Tallinn"),
		verbs:  strings.Fields("opened closed supported visited bought sold rejected restored financed inspected praised crossed designed measured filmed"),
		months: strings.Fields("January February March April May June July August September October November December"),
	}
}

// row returns the next row, which has index i.
func (g *generator) row(i int) row {
	var facts [8]string
	for j := range facts {
		facts[j] = g.fact()
	}
	question := "What is known of the " + g.pick(g.things) + "?"
	first, second := facts[g.random.IntN(len(facts))], facts[g.random.IntN(len(facts))]
	return row{
		ID: fmt.Sprintf("row-%08d", i), Question: question,
		Answer:   first + " " + second + " " + g.fact(),
		Contexts: []string{strings.Join(facts[:4], " "), strings.Join(facts[4:], " ")},
	}
}

// fact returns a sentence.
func (g *generator) fact() string {
	return fmt.Sprintf("The %s of %s %s the %s on %d %s %d, and about %d people %s it.",
		g.pick(g.things), g.pick(g.places), g.pick(g.verbs), g.pick(g.things), 1+g.random.IntN(28), g.pick(g.months),
		1800+g.random.IntN(220), 100*(1+g.random.IntN(400)), g.pick(g.verbs))
}

func (g *generator) pick(words []string) string { return words[g.random.IntN(len(words))] }
