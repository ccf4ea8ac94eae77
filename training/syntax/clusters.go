package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/ragfaith/ragfaith/internal/syntax/greedy"
	"github.com/ragfaith/ragfaith/internal/syntax/words"
)

const (
	clusters        = 128
	clusterPasses   = 4
	minOccurrences  = 8
	maxClusterWords = 20_000
	boundary        = 0 // the word before a text, and rare words
)

// readTexts returns the texts of a file of documents.
func readTexts(path string) (texts []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := zstd.NewReader(file)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	lines := bufio.NewScanner(d)
	lines.Buffer(nil, 1<<24)
	for number := 1; lines.Scan(); number++ {
		var row struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		texts = append(texts, row.Text)
	}
	return texts, lines.Err()
}

// neighbor is a word before or after another, and how often.
type neighbor struct{ word, count int32 }

// clusterForms puts forms that occur between the same words into the same cluster, from
// 1: the exchange algorithm of Uszkoreit and Brants (2008), in both directions.
func clusterForms(texts [][]uint32) map[uint32]uint32 {
	counts := map[uint32]int{}
	for _, text := range texts {
		for _, key := range text {
			counts[key]++
		}
	}
	var keys []uint32
	for key, n := range counts {
		if n >= minOccurrences {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b uint32) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	keys = keys[:min(len(keys), maxClusterWords)]
	index := map[uint32]int32{}
	for i, key := range keys {
		index[key] = int32(i + 1)
	}
	pairs := map[[2]int32]int32{}
	for _, text := range texts {
		last := int32(boundary)
		for _, key := range text {
			word := index[key]
			pairs[[2]int32{last, word}]++
			last = word
		}
	}
	n := len(keys) + 1
	before, after := make([][]neighbor, n), make([][]neighbor, n)
	// In order, since sums of floats depend on it.
	order := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, pair := range order {
		a, b, count := pair[0], pair[1], pairs[pair]
		if b != boundary {
			before[b] = append(before[b], neighbor{a, count})
		}
		if a != boundary {
			after[a] = append(after[a], neighbor{b, count})
		}
	}
	x := exchange{
		cluster: make([]uint8, n), sizes: make([]int64, clusters), total: make([]int64, n),
		left: make([][clusters]int32, n), right: make([][clusters]int32, n), logs: make([]float64, 1<<16),
	}
	for i := range x.logs {
		x.logs[i] = float64(i) * math.Log(max(1, float64(i)))
	}
	for word := 1; word < n; word++ {
		x.total[word] = int64(counts[keys[word-1]])
		x.move(word, uint8(word%clusters), before[word], after[word], 1)
	}
	for range clusterPasses {
		for word := 1; word < n; word++ {
			x.move(word, x.cluster[word], before[word], after[word], -1)
			x.move(word, x.best(word, before[word], after[word]), before[word], after[word], 1)
		}
	}
	result := map[uint32]uint32{}
	for i, key := range keys {
		result[key] = uint32(x.cluster[i+1]) + 1
	}
	return result
}

// exchange has the clusters and how often their words follow or precede each word.
type exchange struct {
	cluster     []uint8
	sizes       []int64 // occurrences of the words of each cluster
	total       []int64
	left, right [][clusters]int32
	logs        []float64 // n log n
}

func (x *exchange) move(word int, to uint8, before, after []neighbor, sign int32) {
	x.cluster[word] = to
	x.sizes[to] += int64(sign) * x.total[word]
	for _, b := range before {
		x.left[b.word][to] += sign * b.count
	}
	for _, a := range after {
		x.right[a.word][to] += sign * a.count
	}
}

// best returns the cluster in which a word makes the texts most likely.
func (x *exchange) best(word int, before, after []neighbor) uint8 {
	var gain [clusters]float64
	for c, size := range x.sizes {
		a, b := float64(size), float64(size+x.total[word])
		gain[c] = -2 * (b*math.Log(max(1, b)) - a*math.Log(max(1, a)))
	}
	add := func(counts *[clusters]int32, n int32) {
		for c, count := range counts {
			gain[c] += x.nlogn(count+n) - x.nlogn(count)
		}
	}
	for _, b := range before {
		add(&x.left[b.word], b.count)
	}
	for _, a := range after {
		add(&x.right[a.word], a.count)
	}
	best := 0
	for c := range gain {
		if gain[c] > gain[best] {
			best = c
		}
	}
	return uint8(best)
}

func (x *exchange) nlogn(n int32) float64 {
	if int(n) < len(x.logs) {
		return x.logs[n]
	}
	return float64(n) * math.Log(float64(n))
}

// textKeys returns the keys of the words of texts.
func textKeys(texts []string) [][]uint32 {
	all := make([][]uint32, len(texts))
	for i, text := range texts {
		for _, s := range words.Split(text) {
			all[i] = append(all[i], greedy.FormKey(text[s.Start:s.End]))
		}
	}
	return all
}

// formKeys returns the keys of the words of sentences.
func formKeys(sentences []*sentence) [][]uint32 {
	all := make([][]uint32, len(sentences))
	for i, s := range sentences {
		for _, form := range s.forms {
			all[i] = append(all[i], greedy.FormKey(form))
		}
	}
	return all
}
