package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint/checkpointtest"
)

// archive returns a file with a pickle and a storage "0" of 16 bytes.
func archive(pickle string) []byte {
	return checkpointtest.Zip(
		checkpointtest.Entry{Name: "a/data.pkl", Data: []byte(pickle)},
		checkpointtest.Entry{Name: "a/data/0", Data: make([]byte, 16)},
	)
}

// rawZip returns an archive whose directory is changed by set, without checks.
func rawZip(set func(entry int, h *zip.FileHeader), entries ...checkpointtest.Entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, e := range entries {
		h := &zip.FileHeader{Name: e.Name, CompressedSize64: uint64(len(e.Data)), UncompressedSize64: uint64(len(e.Data))}
		set(i, h)
		w, err := z.CreateRaw(h)
		if err == nil {
			_, err = w.Write(e.Data)
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
	var (
		str, ints, num  = checkpointtest.String, checkpointtest.Ints, checkpointtest.Int
		tuple, call     = checkpointtest.Tuple, checkpointtest.Call
		float           = checkpointtest.Storage("FloatStorage", "0", 4)
		system          = call("os", "system", str("id"))
		tensor, storage = checkpointtest.Tensor, checkpointtest.Storage
	)
	dict := func(value string) []byte {
		return archive(checkpointtest.Pickle(checkpointtest.Dict(str("w"), value)))
	}
	args := func(offset int, shape, strides string) []byte {
		return dict(tensor(float, num(offset), shape, strides))
	}
	whole := archive(checkpointtest.Pickle(checkpointtest.Dict(str("w"), tensor(float, num(0), ints(4), ints(1)))))
	pkl := checkpointtest.Entry{Name: "a/data.pkl", Data: []byte(checkpointtest.Pickle("}"))}
	big := checkpointtest.Entry{Name: "a/data/0", Data: make([]byte, 16)}
	// Each level contains the previous one twice.
	bomb := ")" + strings.Repeat("q\x00h\x00\x86", 10_000)
	deep := ")" + strings.Repeat("\x85", 1_000_000)
	legacy := func(parts ...string) []byte { return []byte(legacyMagic + strings.Join(parts, "")) }
	version := checkpointtest.Pickle(num(legacyVersion))
	little := checkpointtest.Pickle(checkpointtest.Dict(str("little_endian"), "\x88"))
	legacyStorage := tuple(str("storage"), "ctorch\nFloatStorage\n", str("0"), str("cpu"), num(4), "N") + "Q"
	legacyDict := checkpointtest.Pickle(checkpointtest.Dict(str("w"), tensor(legacyStorage, num(0), ints(4), ints(1))))
	keys := checkpointtest.Pickle("](" + str("0") + "e")
	numel := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	return []hostileFile{
		// Calls.
		{"os.system in place of a tensor", dict(system), `tensor "w": the pickle calls os.system, which ragfaith does not run`},
		{"eval as the whole file", archive(checkpointtest.Pickle(call("builtins", "eval", str("1")))), "calls builtins.eval,"},
		{"call of a call", dict(call("builtins", "getattr", "cos\nsystem\n", str("x")) + ")R"), "calls builtins.getattr,"},
		{"stack global", dict(str("posix") + str("system") + "\x93" + tuple(str("id")) + "R"), "calls posix.system,"},
		{"new object", dict("csubprocess\nPopen\n" + tuple(str("id")) + "\x81"), "calls subprocess.Popen,"},
		{"new object with keywords", dict("csubprocess\nPopen\n)}\x92"), "calls subprocess.Popen,"},
		{"state set on a call", dict(system + "}b"), "calls os.system,"},
		{"parameter of a call", dict(call("torch._utils", "_rebuild_parameter", system)), "calls os.system,"},
		{"call as storage", dict(tensor(system, num(0), ints(4), ints(1))), "calls os.system,"},
		{"call as type of a storage", dict(tensor(tuple(str("storage"), system, str("0"), str("cpu"), num(4))+"Q", num(0), ints(4), ints(1))), "invalid reference"},
		{"call as shape", dict(tensor(float, num(0), system, ints(1))), "as shape and strides"},
		{"call as state_dict", archive(checkpointtest.Pickle(checkpointtest.Dict(str("state_dict"), system))), "state_dict: the pickle calls os.system,"},
		{"call of a tuple", dict("))R"), "call of a tuple"},
		{"arguments are no tuple", dict("cos\nsystem\nNR"), "call with None in place of arguments"},
		{"name of a class with escapes", dict("cos\n\x1b[2Jsystem\n)R"), "invalid name of a class"},
		{"endless name of a class", dict("c" + strings.Repeat("o", 1000)), "too long"},
		{"INST", dict("(ios\nsystem\n"), "instruction 0x69 is not supported"},
		{"extension registry", dict("\x82\x01"), "instruction 0x82 is not supported"},
		{"persistent call", dict(tensor("cos\nsystem\nQ", num(0), ints(4), ints(1))), "invalid reference"},
		// Stack and memo.
		{"tuples of tuples", dict(deep), "no tensors"},
		{"tuples of tuples as arguments", dict(deep + "NR"), "call with None"},
		{"tuples of tuples as a callable", dict(deep + ")R"), "call of a tuple"},
		{"exponential tuple as shape", dict(tensor(float, num(0), bomb, ints(1))), "as shape and strides"},
		{"exponential tuple as dimension", dict(tensor(float, num(0), tuple(bomb), ints(1))), "got a tuple"},
		{"exponential tuple as offset", dict(tensor(float, bomb, ints(4), ints(1))), "invalid offset"},
		{"exponential tuple as key", legacy(version, little, legacyDict, checkpointtest.Pickle("]("+bomb+"e"), numel(4)), "unknown storage"},
		{"exponential tuple as version", legacy(checkpointtest.Pickle(bomb), little, legacyDict, keys), "want version"},
		{"marks only", archive(checkpointtest.Pickle(strings.Repeat("(", 1_000_000))), "stack is empty"},
		{"no mark", dict("t"), "mark is missing"},
		{"empty stack", archive(checkpointtest.Pickle("0")), "stack is empty"},
		{"unknown memo", dict("j\xff\xff\xff\xff"), "nothing is stored under 4294967295"},
		{"dictionary in itself", archive(checkpointtest.Pickle("}q\x00(" + str("state_dict") + "h\x00u")), "no tensors"},
		{"endless pickle", archive("\x80\x02" + strings.Repeat("N0", maxInstructions)), "more than 2097152 instructions"},
		{"text of 4 GiB", dict("X\xff\xff\xff\xff"), "truncated"},
		{"text of 16 EiB", dict("\x8d" + numel(1<<64-1)), "truncated"},
		{"integer of 4 GiB", dict("\x8b\xff\xff\xff\xff"), "truncated"},
		{"key without a value", archive(checkpointtest.Pickle("}(" + str("w") + "u")), "key without a value"},
		{"members of a tuple", archive(checkpointtest.Pickle(")Na")), "cannot add members to a tuple"},
		{"protocol 0", archive("(dp0\n."), "not a pickle of protocol 2 to 5"},
		{"protocol 9", archive("\x80\x09}."), "protocol 9"},
		{"no stop", archive("\x80\x02}"), "truncated"},
		{"nothing", archive(checkpointtest.Pickle("}")), "no tensors"},
		{"not a dictionary", archive(checkpointtest.Pickle("]")), "got a list"},
		// Shapes.
		{"2^62 values", args(0, ints(1<<62), ints(1)), "exceed the storage of 4 values"},
		{"shape overflows", args(0, ints(1<<32, 1<<32), ints(1<<32, 1)), "exceed the storage"},
		{"shape overflows to the right size", args(0, ints(4, 1<<62+1), ints(1, 0)), "exceed the storage"},
		{"strides overflow", args(0, ints(3), ints(1<<63-1)), "exceed the storage"},
		{"repeated value", args(0, ints(1<<40), ints(0)), "larger than the file"},
		{"repeated values", args(0, ints(1<<20, 4), ints(0, 1)), "larger than the file"},
		{"negative stride", args(3, ints(4), ints(-1)), "got the number -1"},
		{"negative shape", args(0, ints(-4), ints(1)), "got the number -4"},
		{"negative offset", args(-1, ints(4), ints(1)), "invalid offset"},
		{"offset", args(1, ints(4), ints(1)), "exceed the storage"},
		{"huge offset", args(1<<62, ints(1), ints(1)), "exceed the storage"},
		{"shape and strides differ", args(0, ints(4), ints(1, 1)), "invalid offset, or shape [4]"},
		{"33 dimensions", args(0, ints(make([]int, 33)...), ints(make([]int, 33)...)), "at most 32"},
		{"three arguments", dict(call("torch._utils", "_rebuild_tensor_v2", float, num(0), ints(4))), "has 3 arguments"},
		// Storages.
		{"storage without data", dict(tensor(storage("FloatStorage", "1", 4), num(0), ints(4), ints(1))), `storage "1" does not exist`},
		{"storage in another directory", dict(tensor(storage("FloatStorage", "../data/0", 4), num(0), ints(4), ints(1))), "does not exist"},
		{"storage is a path", dict(tensor(storage("FloatStorage", "/etc/passwd", 4), num(0), ints(4), ints(1))), "does not exist"},
		{"larger storage", dict(tensor(storage("FloatStorage", "0", 5), num(0), ints(4), ints(1))), "has 16 bytes, want 5 values"},
		{"storage overflows", dict(tensor(storage("FloatStorage", "0", 1<<62+4), num(0), ints(4), ints(1))), "has 16 bytes"},
		{"other type of the same size", dict(tensor(storage("ComplexFloatStorage", "0", 2), num(0), ints(2), ints(1))), "torch.ComplexFloatStorage is not supported"},
		{"storage as a tensor", dict(float), "want a tensor, got a persistent"},
		// Zip archives.
		{"not a checkpoint", []byte("<html>"), "not a file written by torch.save"},
		{"empty file", nil, "not a file written by torch.save"},
		{"no directory", whole[:len(whole)-30], "zip archive: "},
		{"no pickle", checkpointtest.Zip(big), "want one data.pkl"},
		{"two pickles", checkpointtest.Zip(pkl, checkpointtest.Entry{Name: "b/data.pkl"}), "got 2"},
		{"pickle in another directory", checkpointtest.Zip(checkpointtest.Entry{Name: "../a/data.pkl"}), "got 0"},
		{"same name twice", checkpointtest.Zip(pkl, big, pkl), `"a/data.pkl" exists twice`},
		{"big-endian", checkpointtest.Zip(pkl, checkpointtest.Entry{Name: "a/byteorder", Data: []byte("big")}), "byte order"},
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
		{"overlap", rawZip(func(i int, h *zip.FileHeader) {
			if i == 0 {
				h.UncompressedSize64, h.CompressedSize64 = 60, 60
			}
		}, pkl, big), "overlap"},
		{"huge directory", rawZip(func(int, *zip.FileHeader) {}, checkpointtest.Entry{Name: "a/" + strings.Repeat("x", 60_000)}), "got 0"},
		// The old format.
		{"other version", legacy(checkpointtest.Pickle(num(1)), little, legacyDict, keys), "want version 1001"},
		{"old big-endian", legacy(version, checkpointtest.Pickle("}"), legacyDict, keys), "big-endian"},
		{"keys are no list", legacy(version, little, legacyDict, checkpointtest.Pickle("}")), "want a list of storages"},
		{"old storage of 2^62 values", legacy(version, little, legacyDict, keys, numel(1<<62)), `storage "0": truncated`},
		{"old storage without size", legacy(version, little, legacyDict, keys), "truncated"},
		{"old storage of another size", legacy(version, little, legacyDict, keys, numel(1), "abcd"), "has 4 bytes, want 4 values"},
		{"missing old storage", legacy(version, little, legacyDict, checkpointtest.Pickle("]")), "does not exist"},
		{"old call", legacy(checkpointtest.Pickle(system), checkpointtest.Pickle(system), legacyDict, keys), "want version"},
	}
}

func TestHostileFilesAreRejected(t *testing.T) {
	for _, tt := range hostileFiles() {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, t.TempDir(), "pytorch_model.bin", tt.data)
			f, err := OpenTorch(path)
			if err == nil {
				f.Close()
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
	system := checkpointtest.Call("os", "system", checkpointtest.String("exit 1"))
	weight := checkpointtest.Tensor(checkpointtest.Storage("FloatStorage", "0", 4), checkpointtest.Int(0), checkpointtest.Ints(4), checkpointtest.Ints(1))
	state := checkpointtest.Dict(checkpointtest.String("w"), weight)
	pickle := checkpointtest.Pickle(checkpointtest.Dict(checkpointtest.String("hyper_parameters"), system, checkpointtest.String("state_dict"), state))
	tensors, err := parseTorch(archive(pickle))
	if err != nil || len(tensors) != 1 || tensors[0].Name != "w" {
		t.Errorf("got %v, error %v, want tensor w", tensors, err)
	}
}

func TestWholeModuleIsRejected(t *testing.T) {
	_, err := OpenTorch("testdata/whole-module.bin")
	if err == nil || !strings.Contains(err.Error(), "whole-module.bin: the pickle calls torch.nn.modules.container.Sequential, which ragfaith does not run") {
		t.Errorf("got error %v, want one about Sequential", err)
	}
}

// TestSharedValuesAreLimited checks that many tensors of one storage cannot make a
// small file a large model, whether they are views or copies.
func TestSharedValuesAreLimited(t *testing.T) {
	for want, strides := range map[string]string{
		"more than 16 times the size of the file": checkpointtest.Ints(40, 1),
		"not contiguous are larger than the file": checkpointtest.Ints(1, 40),
	} {
		storage := checkpointtest.Storage("CharStorage", "0", 1600)
		view := checkpointtest.Tensor(storage, checkpointtest.Int(0), checkpointtest.Ints(40, 40), strides)
		var items []string
		for i := range 26 * 26 {
			items = append(items, checkpointtest.String(string([]byte{'a' + byte(i/26), 'a' + byte(i%26)})), "h\x00")
		}
		_, err := parseTorch(checkpointtest.Zip(
			checkpointtest.Entry{Name: "a/data.pkl", Data: []byte(checkpointtest.Pickle(view + "q\x000" + checkpointtest.Dict(items...)))},
			checkpointtest.Entry{Name: "a/data/0", Data: make([]byte, 1600)},
		))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

func TestDirectoryOfArchiveIsLimited(t *testing.T) {
	var entries []checkpointtest.Entry
	for i := range maxDirectory/60_000 + 1 {
		entries = append(entries, checkpointtest.Entry{Name: "a/" + strings.Repeat(string([]byte{'a' + byte(i/26%26), 'a' + byte(i%26)}), 30_000) + strings.Repeat("x", i/676)})
	}
	_, err := parseTorch(checkpointtest.Zip(entries...))
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
	if err != nil || len(paths) < 14 {
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
				if got := values(t, tensor); got != nil && len(got) != tensor.Len() {
					t.Errorf("%q: got %d values, want %d", tensor.Name, len(got), tensor.Len())
				}
			}
		}
	})
}
