// Command benchencoder times transformer layers built from the encoder kernels. It is
// the Go side of scripts/bench-encoder.py, which writes the weights and the input and
// sends commands on standard input: "load BATCH TOKENS", "write" and "run TIMES". Each
// is answered with a line; the reply to run is the duration of each run in
// nanoseconds.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// A stack is a model without embeddings. It transforms x, rows of hidden states, in
// place.
type stack interface {
	forward(x []float32, lengths []int)
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "", "directory of the files weights and x")
	kind := flag.String("stack", "bert", "architecture: bert or t5")
	precision := flag.String("precision", "float32", "float32 or int8")
	threads := flag.Int("threads", 2, "number of threads")
	name := flag.String("kernel", "", "kernel implementation")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := serve(*dir, *kind, *precision, *name, *threads); err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

func serve(dir, kind, precision, name string, threads int) error {
	k, err := kernel.New(name)
	if err != nil {
		return err
	}
	weights, err := readFloats(filepath.Join(dir, "weights"))
	if err != nil {
		return err
	}
	input, err := readFloats(filepath.Join(dir, "x"))
	if err != nil {
		return err
	}
	p := kernel.Float32
	if precision == "int8" {
		p = kernel.Int8
	}
	r := &weightReader{weights}
	var s stack
	if kind == "t5" {
		s = newT5(kernel.NewPool(k, threads), p, r)
	} else {
		s = newBERT(kernel.NewPool(k, threads), p, r)
	}
	if len(r.rest) > 0 {
		return fmt.Errorf("%s: %d unused weights", dir, len(r.rest))
	}
	x := make([]float32, len(input))
	var lengths []int
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		args := strings.Fields(in.Text())
		var numbers []int
		for _, w := range args[1:] {
			n, err := strconv.Atoi(w)
			if err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		switch {
		case args[0] == "load" && len(numbers) == 2:
			lengths = make([]int, numbers[0])
			for i := range lengths {
				lengths[i] = numbers[1]
			}
			fmt.Println("ok")
		case args[0] == "write":
			copy(x, input)
			s.forward(x, lengths)
			if err := writeFloats(filepath.Join(dir, "y"), x); err != nil {
				return err
			}
			fmt.Println("ok")
		case args[0] == "run" && len(numbers) == 1:
			out := make([]string, numbers[0])
			for i := range out {
				copy(x, input)
				start := time.Now()
				s.forward(x, lengths)
				out[i] = strconv.FormatInt(time.Since(start).Nanoseconds(), 10)
			}
			fmt.Println(strings.Join(out, " "))
		default:
			return fmt.Errorf("standard input: unknown command %q", in.Text())
		}
	}
	return in.Err()
}

// readFloats reads a file of little-endian float32 numbers.
func readFloats(path string) ([]float32, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x := make([]float32, len(data)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return x, nil
}

// writeFloats writes a file of little-endian float32 numbers.
func writeFloats(path string, x []float32) error {
	var data []byte
	for _, v := range x {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return os.WriteFile(path, data, 0o600)
}

// A weightReader returns weights in the order of the file.
type weightReader struct{ rest []float32 }

func (r *weightReader) take(n int) []float32 {
	x := r.rest[:n]
	r.rest = r.rest[n:]
	return x
}

// part reads a weight matrix and, if bias is set, its bias.
func (r *weightReader) part(out, in int, bias bool) kernel.Part {
	p := kernel.Part{W: kernel.Raw{F32: r.take(out * in)}, Out: out}
	if bias {
		p.Bias = r.take(out)
	}
	return p
}
