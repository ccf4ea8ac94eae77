package main

import (
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
)

// A perceptron is an averaged perceptron with integer weights. A feature counts only
// after minUpdates mistakes that it was part of (Goldberg and Elhadad 2011), which
// keeps the model small.
type perceptron struct {
	classes    int
	minUpdates uint16
	slots      []slot // by open addressing
	rows       []row
	rowKeys    []uint32
	step       int64
	sum        []int64
}

type slot struct {
	key uint32 // 0 if the slot is empty
	row int32
}

type row struct {
	updates uint16
	weights []weight
}

type weight struct {
	class uint8
	now   int32
	past  int64 // sum of the changes, each multiplied by its step
}

func newPerceptron(classes int, minUpdates uint16) *perceptron {
	return &perceptron{classes: classes, minUpdates: minUpdates, slots: make([]slot, 1<<16), step: 1, sum: make([]int64, classes)}
}

// find returns the row of a feature, or -1.
func (p *perceptron) find(key uint32) (at, row int) {
	mask := len(p.slots) - 1
	for at = int(key*0x9e3779b1>>3) & mask; p.slots[at].key != 0; at = (at + 1) & mask {
		if p.slots[at].key == key {
			return at, int(p.slots[at].row)
		}
	}
	return at, -1
}

func (p *perceptron) scores(features []uint32) []int64 {
	clear(p.sum)
	for _, key := range features {
		if _, r := p.find(key); r >= 0 && p.rows[r].updates >= p.minUpdates {
			for _, w := range p.rows[r].weights {
				p.sum[w.class] += int64(w.now)
			}
		}
	}
	return p.sum
}

// learn moves the weights of features from one class to another.
func (p *perceptron) learn(features []uint32, right, wrong uint8) {
	for _, key := range features {
		if key == 0 {
			continue
		}
		at, r := p.find(key)
		if r < 0 {
			if len(p.rows) > len(p.slots)/2 {
				p.grow()
				at, _ = p.find(key)
			}
			r = len(p.rows)
			p.rows = append(p.rows, row{})
			p.rowKeys = append(p.rowKeys, key)
			p.slots[at] = slot{key, int32(r)}
		}
		row := &p.rows[r]
		row.updates = min(row.updates, math.MaxUint16-1) + 1
		row.add(right, 1, p.step)
		row.add(wrong, -1, p.step)
	}
}

func (p *perceptron) grow() {
	p.slots = make([]slot, 2*len(p.slots))
	for r, key := range p.rowKeys {
		at, _ := p.find(key)
		p.slots[at] = slot{key, int32(r)}
	}
}

func (r *row) add(class uint8, change int32, step int64) {
	for i := range r.weights {
		if w := &r.weights[i]; w.class == class {
			w.now += change
			w.past += int64(change) * step
			return
		}
	}
	r.weights = append(r.weights, weight{class, change, int64(change) * step})
}

// average sets the weights to scale times their mean over all steps, for prediction
// and for the model file.
func (p *perceptron) average(scale int64) {
	for r := range p.rows {
		for i := range p.rows[r].weights {
			w := &p.rows[r].weights[i]
			mean := scale * (int64(w.now)*p.step - w.past)
			half := p.step / 2
			if mean < 0 {
				half = -half
			}
			w.now = int32(max(-256, min(255, (mean+half)/p.step)))
		}
	}
}

// weights returns the weights after average that are not zero.
func (p *perceptron) weights() greedy.Weights {
	all := greedy.Weights{}
	for r, key := range p.rowKeys {
		if p.rows[r].updates < p.minUpdates {
			continue
		}
		for _, w := range p.rows[r].weights {
			if w.now != 0 {
				all[key] = append(all[key], greedy.Weight{Class: w.class, Value: int16(w.now)})
			}
		}
	}
	return all
}

// sum adds the weights of models: they decide like all of them together.
func sum(all ...greedy.Weights) greedy.Weights {
	total := greedy.Weights{}
	for _, weights := range all {
		for key, list := range weights {
			for _, w := range list {
				total[key] = add(total[key], w)
			}
		}
	}
	return total
}

func add(list []greedy.Weight, w greedy.Weight) []greedy.Weight {
	for i := range list {
		if list[i].Class == w.Class {
			list[i].Value = max(-256, min(255, list[i].Value+w.Value))
			return list
		}
	}
	return append(list, w)
}

// limit removes small weights, in growing steps, until there are at most n features.
func limit(weights greedy.Weights, n int) greedy.Weights {
	for least := int16(2); len(weights) > n; least++ {
		for key, list := range weights {
			list = slices.DeleteFunc(list, func(w greedy.Weight) bool { return w.Value < least && -w.Value < least })
			if weights[key] = list; len(list) == 0 {
				delete(weights, key)
			}
		}
	}
	for _, list := range weights {
		slices.SortFunc(list, func(a, b greedy.Weight) int { return int(a.Class) - int(b.Class) })
	}
	return weights
}

// best returns the class of from to classes-1 with the highest score.
func best(scores []int64, from int) uint8 {
	class := from
	for i := from + 1; i < len(scores); i++ {
		if scores[i] > scores[class] {
			class = i
		}
	}
	return uint8(class)
}
