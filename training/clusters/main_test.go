package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadTakesWordsOfLettersInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.json")
	// The rest of a vector after its dimensions is something else.
	const data = `{"dimensions": 2, "words": ["the", ",", "x-ray", "3rd"], "vectors": {"x-ray": [3, 4, 9], "the": [1, 2, 9], ",": [0, 0, 9], "3rd": [1, 1, 9]}}`
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	words, vectors, err := read(path)
	if err != nil || !slices.Equal(words, []string{"the", "x-ray"}) || !slices.Equal(vectors[1], []float32{3, 4}) {
		t.Errorf("got %v, %v, %v, want the and x-ray with two numbers each", words, vectors, err)
	}
}

func TestGroupPutsLikeVectorsTogether(t *testing.T) {
	words := strings.Fields("a1 b1 a2 b2 a3 b3")
	var vectors [][]float32
	for i := range words {
		vectors = append(vectors, []float32{float32(i%2)*10 - 5, float32(i) / 10, 1})
	}
	normalize(vectors)
	lines := group(words, vectors, []int{8, 2}, rand.New(rand.NewPCG(1, 1)))
	if len(lines) != 16 {
		t.Errorf("got %d lines, want 16", len(lines))
	}
	found := 0
	for _, line := range lines {
		found += len(strings.Fields(line))
		if strings.Contains(line, "a") && strings.Contains(line, "b") {
			t.Errorf("got %q, want only words with vectors in one direction", line)
		}
	}
	if found != len(words) {
		t.Errorf("got %d words, want %d", found, len(words))
	}
}
