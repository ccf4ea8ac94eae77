package checkpoint

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archive returns a file with a pickle and a storage "0" of 16 bytes.
func archive(pickle string) []byte {
	return zipped(
		entry{name: "a/data.pkl", data: []byte(pickle)},
		entry{name: "a/data/0", data: make([]byte, 16)},
	)
}

// rawZip returns an archive whose directory is changed by set, without checks.
func rawZip(set func(entry int, h *zip.FileHeader), entries ...entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, e := range entries {
		h := &zip.FileHeader{Name: e.name, CompressedSize64: uint64(len(e.data)), UncompressedSize64: uint64(len(e.data))}
		set(i, h)
		w, err := z.CreateRaw(h)
		if err == nil {
			_, err = w.Write(e.data)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type hostileFile struct {
	name string
	data []byte
	want string // part of the error
}

// hostileFiles returns files that must be rejected.
func hostileFiles() []hostileFile {
	float := newStorage("FloatStorage", "0", 4)
	system := call("os", "system", str("id"))
	with := func(value string) []byte { return archive(pickled(dict(str("w"), value))) }
	args := func(offset int, shape, strides string) []byte {
		return with(rebuild(float, num(offset), shape, strides))
	}
	whole := archive(pickled(dict(str("w"), rebuild(float, num(0), ints(4), ints(1)))))
	pkl := entry{name: "a/data.pkl", data: []byte(pickled("}"))}
	big := entry{name: "a/data/0", data: make([]byte, 16)}
	// Each level contains the previous one twice.
	bomb := ")" + strings.Repeat("q\x00h\x00\x86", 10_000)
	deep := ")" + strings.Repeat("\x85", 100_000)
	return []hostileFile{
		// Calls.
		{"os.system in place of a tensor", with(system), `tensor "w": the pickle calls os.system, which ragfaith does not run`},
		{"eval as the whole file", archive(pickled(call("builtins", "eval", str("1")))), "calls builtins.eval,"},
		{"call of a call", with(call("builtins", "getattr", "cos\nsystem\n", str("x")) + ")R"), "calls builtins.getattr,"},
		{"new object", with("csubprocess\nPopen\n" + newTuple(str("id")) + "\x81"), "calls subprocess.Popen,"},
		{"call as storage", with(rebuild(system, num(0), ints(4), ints(1))), "calls os.system,"},
		{"call as state_dict", archive(pickled(dict(str("state_dict"), system))), "state_dict: the pickle calls os.system,"},
		{"call of a tuple", with("))R"), "not a function"},
		{"arguments are no tuple", with("cos\nsystem\nNR"), "call without a tuple of arguments"},
		{"name of a class with escapes", with("cos\n\x1b[2Jsystem\n)R"), "invalid name of a class"},
		{"endless name of a class", with("c" + strings.Repeat("o", 1000)), "too long"},
		{"INST", with("(ios\nsystem\n"), "instruction 0x69 is not supported"},
		{"persistent call", with(rebuild("cos\nsystem\nQ", num(0), ints(4), ints(1))), "invalid reference"},
		// Stack and memo.
		{"tuples of tuples", with(deep), "no tensors"},
		{"exponential tuple as shape", with(rebuild(float, num(0), bomb, ints(1))), "as shape and strides"},
		{"exponential tuple as dimension", with(rebuild(float, num(0), newTuple(bomb), ints(1))), "want integers of at least 0"},
		{"marks only", archive(pickled(strings.Repeat("(", 100_000))), "stack is empty"},
		{"no mark", with("t"), "mark is missing"},
		{"unknown memo", with("j\xff\xff\xff\xff"), "nothing is stored under 4294967295"},
		{"dictionary in itself", archive(pickled("}q\x00(" + str("state_dict") + "h\x00u")), "no tensors"},
		{"endless pickle", archive("\x80\x02" + strings.Repeat("N0", maxInstructions)), "more than 2097152 instructions"},
		{"text of 4 GiB", with("X\xff\xff\xff\xff"), "truncated"},
		{"key without a value", archive(pickled("}(" + str("w") + "u")), "key without a value"},
		{"members of a tuple", archive(pickled(")Na")), "want a dictionary or a list to add members to"},
		{"protocol 0", archive("(dp0\n."), "not a pickle of protocol 2"},
		{"no stop", archive("\x80\x02}"), "truncated"},
		{"nothing", archive(pickled("}")), "no tensors"},
		// Shapes.
		{"2^62 values", args(0, ints(1<<62), ints(1)), "exceed the storage of 4 values"},
		{"shape overflows", args(0, ints(1<<32, 1<<32), ints(1<<32, 1)), "exceed the storage"},
		{"shape overflows to the right size", args(0, ints(4, 1<<62+1), ints(1<<62+1, 1)), "exceed the storage"},
		{"strides overflow", args(0, ints(3), ints(1<<63-1)), "not contiguous"},
		{"transposed", args(0, ints(2, 2), ints(1, 2)), "is not contiguous"},
		{"negative stride", args(3, ints(4), ints(-1)), "want integers of at least 0"},
		{"negative offset", args(-1, ints(4), ints(1)), "invalid offset"},
		{"huge offset", args(1<<62, ints(1), ints(1)), "exceed the storage"},
		{"shape and strides differ", args(0, ints(4), ints(1, 1)), "invalid offset, or shape [4]"},
		{"33 dimensions", args(0, ints(make([]int, 33)...), ints(make([]int, 33)...)), "at most 32"},
		{"three arguments", with(call("torch._utils", "_rebuild_tensor_v2", float, num(0), ints(4))), "has 3 arguments"},
		// Storages.
		{"storage without data", with(rebuild(newStorage("FloatStorage", "1", 4), num(0), ints(4), ints(1))), `storage "1" does not exist`},
		{"larger storage", with(rebuild(newStorage("FloatStorage", "0", 5), num(0), ints(4), ints(1))), "has 16 bytes, want 5 values"},
		{"storage overflows", with(rebuild(newStorage("FloatStorage", "0", 1<<62+4), num(0), ints(4), ints(1))), "has 16 bytes"},
		{"other type of the same size", with(rebuild(newStorage("ComplexFloatStorage", "0", 2), num(0), ints(2), ints(1))), "torch.ComplexFloatStorage is not supported"},
		{"storage as a tensor", with(float), "want a tensor, got a persistent"},
		// Zip archives.
		{"not a checkpoint", []byte("<html>"), "not a file written by torch.save"},
		{"empty file", nil, "file is empty"},
		{"no directory", whole[:len(whole)-30], "zip archive: "},
		{"no pickle", zipped(big), "want one data.pkl"},
		{"pickle in another directory", zipped(entry{name: "../a/data.pkl"}), "got 0"},
		{"same name twice", zipped(pkl, big, pkl), `"a/data.pkl" exists twice`},
		{"big-endian", zipped(pkl, entry{name: "a/byteorder", data: []byte("big")}), "byte order"},
		{"compressed", rawZip(func(i int, h *zip.FileHeader) { h.Method = zip.Deflate }, pkl), "is compressed"},
		{"bomb", rawZip(func(i int, h *zip.FileHeader) { h.UncompressedSize64 = 1 << 40 }, pkl, big), "is compressed"},
		{"encrypted", rawZip(func(i int, h *zip.FileHeader) { h.Flags = 1 }, pkl), "encrypted"},
		{"size beyond the archive", rawZip(func(i int, h *zip.FileHeader) {
			if i == 1 {
				h.UncompressedSize64, h.CompressedSize64 = 1<<40, 1<<40
			}
		}, pkl, big), "exceeds the archive"},
		{"size of 16 EiB", rawZip(func(i int, h *zip.FileHeader) {
			if i == 1 {
				h.UncompressedSize64, h.CompressedSize64 = 1<<64-2, 1<<64-2
			}
		}, pkl, big), "exceeds the archive"},
	}
}

func TestHostileFilesAreRejected(t *testing.T) {
	for _, tt := range hostileFiles() {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, t.TempDir(), "pytorch_model.bin", tt.data)
			_, err := OpenDir(filepath.Dir(path))
			if err == nil {
				t.Fatal("got no error, want one")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "pytorch_model.bin: ") {
				t.Errorf("got error %q, want %q and the file name", err, tt.want)
			}
			if len(err.Error()) > 600 {
				t.Errorf("got an error of %d bytes, want at most 600", len(err.Error()))
			}
		})
	}
}

func TestCallsBesideTheStateDictAreIgnored(t *testing.T) {
	system := call("os", "system", str("exit 1"))
	weight := rebuild(newStorage("FloatStorage", "0", 4), num(0), ints(4), ints(1))
	state := dict(str("w"), weight)
	pickle := pickled(dict(str("hyper_parameters"), system, str("state_dict"), state))
	tensors, err := parseTorch(archive(pickle))
	if err != nil || len(tensors) != 1 || tensors["w"] == nil {
		t.Errorf("got %v, error %v, want tensor w", tensors, err)
	}
}

func TestWholeModuleIsRejected(t *testing.T) {
	_, err := openTorch(t, "whole-module.bin")
	if err == nil || !strings.Contains(err.Error(), "whole-module.bin: the pickle calls torch.nn.modules.container.Sequential, which ragfaith does not run") {
		t.Errorf("got error %v, want one about Sequential", err)
	}
}

// TestSharedValuesAreLimited checks that many tensors of one storage cannot make a
// small file a large model.
func TestSharedValuesAreLimited(t *testing.T) {
	view := rebuild(newStorage("CharStorage", "0", 1600), num(0), ints(40, 40), ints(40, 1))
	var items []string
	for i := range 26 {
		items = append(items, str(string([]byte{'a' + byte(i)})), "h\x00")
	}
	_, err := parseTorch(zipped(
		entry{name: "a/data.pkl", data: []byte(pickled(view + "q\x000" + dict(items...)))},
		entry{name: "a/data/0", data: make([]byte, 1600)},
	))
	if want := "more than 16 times the size of the file"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
}

func TestDirectoryOfArchiveIsLimited(t *testing.T) {
	var entries []entry
	for i := range maxDirectory/60_000 + 1 {
		entries = append(entries, entry{name: "a/" + strings.Repeat(string([]byte{'a' + byte(i/26%26), 'a' + byte(i%26)}), 30_000) + strings.Repeat("x", i/676)})
	}
	_, err := parseTorch(zipped(entries...))
	if err == nil || !strings.Contains(err.Error(), "directory is larger than") {
		t.Errorf("got error %v, want one about the directory", err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	add := func(data []byte) {
		f.Add(data)
		if entries, err := zipEntries(data); err == nil {
			for name, content := range entries {
				if strings.HasSuffix(name, "data.pkl") {
					f.Add(content)
				}
			}
		}
	}
	for _, tt := range hostileFiles() {
		if len(tt.data) < 4096 { // large ones are slow
			add(tt.data)
		}
	}
	paths, err := filepath.Glob("testdata/*.[bc]*")
	if err != nil || len(paths) < 8 {
		f.Fatalf("got %d files, error %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range [][]byte{data, archive(string(data))} { // as a file, and as its pickle
			tensors, err := parseTorch(file)
			if err != nil {
				continue
			}
			for _, tensor := range tensors {
				if got := values(t, tensor); got != nil && 4*len(got) != len(tensor.data) && 2*len(got) != len(tensor.data) {
					t.Errorf("%q: got %d values, want those of %d bytes", tensor.Name, len(got), len(tensor.data))
				}
			}
		}
	})
}
