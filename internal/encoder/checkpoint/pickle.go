package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on a pickle, which bound its memory to some 300 MB. Those of real models
// have some thousand instructions, and a million if they contain a vocabulary.
const (
	maxPickle       = 64 << 20 // bytes
	maxInstructions = 2 << 20
	maxClass        = 200 // bytes in the name of a class
)

// The values of a pickle are nil, bool, int64, string, class, tuple, *object and ignored.
type (
	// A class is the full name of a class or function, such as "os.system".
	class string

	tuple []any

	// An object is a container, or the result of a call that was not executed.
	object struct {
		class class // function or constructor, or one of the constants below
		args  tuple // arguments of the call
		items tuple // added members; of a dictionary, keys and values alternately
	}

	// ignored is a value that no tensor needs: a float or a long integer.
	ignored struct{}

	mark struct{}
)

// Classes of objects that instructions create. Names of other classes have a dot.
const (
	dictClass       class = "dict"
	listClass       class = "list"
	persistentClass class = "persistent" // args refer to data outside of the pickle
)

// A machine interprets a pickle. It creates values but calls nothing: a call
// becomes an object that records the function and its arguments. Each instruction
// allocates an amount of memory that is constant, or at most the length of the
// instruction. The first error sets err; values returned afterwards are empty.
type machine struct {
	rest  []byte // instructions to read
	stack []any
	memo  map[uint64]any
	err   error
}

// readPickle interprets a pickle and returns its value. The format is documented in
// Python's pickletools. Only protocol 2, the default of torch.save, is supported.
func readPickle(data []byte) (any, error) {
	if !bytes.HasPrefix(data, []byte{0x80, 2}) {
		return nil, errors.New("not a pickle of protocol 2")
	}
	size := min(len(data), maxPickle)
	m := &machine{rest: data[:size], memo: make(map[uint64]any)}
	for range maxInstructions {
		at := size - len(m.rest)
		op := m.number(1)
		if m.err == nil && op == '.' {
			return m.pop(), m.err
		}
		if m.err == nil {
			m.execute(byte(op))
		}
		if m.err != nil {
			return nil, fmt.Errorf("pickle: byte %d: %w", at, m.err)
		}
	}
	return nil, fmt.Errorf("pickle has more than %d instructions", maxInstructions)
}

func (m *machine) execute(op byte) {
	switch op {
	case 0x80: // PROTO
		m.take(1)
	case 'N': // NONE
		m.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		m.push(op == 0x88)
	case 'K': // BININT1
		m.push(int64(m.number(1)))
	case 'M': // BININT2
		m.push(int64(m.number(2)))
	case 'J': // BININT
		m.push(int64(int32(m.number(4))))
	case 0x8a: // LONG1
		m.push(integer(m.sized(1)))
	case 'G': // BINFLOAT
		m.take(8)
		m.push(ignored{})
	case 'X': // BINUNICODE
		m.push(string(m.sized(4)))

	// Instructions that take values from the stack or the memo.
	case '(': // MARK
		m.push(mark{})
	case '0': // POP
		m.pop()
	case ')': // EMPTY_TUPLE
		m.push(tuple(nil))
	case 't': // TUPLE
		m.push(m.popToMark())
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		m.push(m.popN(int(op) - 0x84))
	case '}': // EMPTY_DICT
		m.push(&object{class: dictClass})
	case ']': // EMPTY_LIST
		m.push(&object{class: listClass})
	case 'a': // APPEND
		m.add(m.popN(1))
	case 's': // SETITEM
		m.add(m.popN(2))
	case 'e', 'u': // APPENDS, SETITEMS
		items := m.popToMark()
		if op == 'u' && len(items)%2 != 0 {
			m.fail("key without a value")
		}
		m.add(items)
	case 'q': // BINPUT
		m.store(m.number(1))
	case 'r': // LONG_BINPUT
		m.store(m.number(4))
	case 'h': // BINGET
		m.load(m.number(1))
	case 'j': // LONG_BINGET
		m.load(m.number(4))

	// Instructions that name classes or create objects of them.
	case 'c': // GLOBAL
		module := m.line()
		m.pushClass(module, m.line())
	case 'R', 0x81: // REDUCE, NEWOBJ
		m.pushCall()
	case 'b': // BUILD sets attributes, which no tensor needs
		m.pop()
	case 'Q': // BINPERSID
		args, _ := m.pop().(tuple)
		m.push(&object{class: persistentClass, args: args})
	default:
		m.fail("instruction %#02x is not supported", op)
	}
}

// add adds members to the container at the top of the stack.
func (m *machine) add(items tuple) {
	v := m.pop()
	m.push(v)
	if o, ok := v.(*object); ok {
		o.items = append(o.items, items...)
		return
	}
	m.fail("want a dictionary or a list to add members to")
}

func (m *machine) store(key uint64) {
	v := m.pop()
	m.push(v)
	m.memo[key] = v
}

func (m *machine) load(key uint64) {
	v, ok := m.memo[key]
	if !ok {
		m.fail("nothing is stored under %d", key)
	}
	m.push(v)
}

func (m *machine) pushClass(module, name string) {
	full := module + "." + name
	invalid := func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }
	if module == "" || name == "" || len(full) > maxClass || !utf8.ValidString(full) || strings.ContainsFunc(full, invalid) {
		m.fail("invalid name of a class: %.40q", full)
	}
	m.push(class(full))
}

func (m *machine) pushCall() {
	values := m.popN(2)
	args, ok := values[1].(tuple)
	if !ok {
		m.fail("call without a tuple of arguments")
	}
	switch f := values[0].(type) {
	case class:
		m.push(&object{class: f, args: args})
	case *object: // the result of another call, such as getattr
		m.push(&object{class: f.class})
	default:
		m.fail("call of something that is not a function")
	}
}

func (m *machine) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

var errTruncated = errors.New("truncated")

// take returns the next n bytes.
func (m *machine) take(n uint64) []byte {
	if n > uint64(len(m.rest)) {
		m.fail("%w", errTruncated)
		return nil
	}
	b := m.rest[:n]
	m.rest = m.rest[n:]
	return b
}

// number returns the next number, which has the given size in bytes.
func (m *machine) number(size uint64) uint64 {
	var le [8]byte
	copy(le[:], m.take(size))
	return binary.LittleEndian.Uint64(le[:])
}

// sized returns the next bytes, which follow their number.
func (m *machine) sized(size uint64) []byte { return m.take(m.number(size)) }

func (m *machine) line() string {
	line, _, ok := bytes.Cut(m.rest[:min(len(m.rest), maxClass)], []byte("\n"))
	if !ok {
		m.fail("name of a class is truncated or too long")
		return ""
	}
	m.take(uint64(len(line)) + 1)
	return string(line)
}

func integer(b []byte) any {
	if len(b) > 8 {
		return ignored{}
	}
	var le [8]byte
	copy(le[8-len(b):], b)
	return int64(binary.LittleEndian.Uint64(le[:])) >> (64 - 8*len(b)) // extends the sign
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() any { return m.popN(1)[0] }

// popN removes and returns the last n values, at most 3, none of which may be a mark.
func (m *machine) popN(n int) tuple {
	values := make(tuple, n)
	start := len(m.stack) - n
	if start < 0 || slices.Contains(m.stack[start:], any(mark{})) {
		m.fail("stack is empty")
		return values
	}
	copy(values, m.stack[start:])
	m.stack = m.stack[:start]
	return values
}

// popToMark removes the last mark and the values after it, which it returns.
func (m *machine) popToMark() tuple {
	for i, v := range slices.Backward(m.stack) {
		if v == any(mark{}) {
			values := slices.Clone(m.stack[i+1:])
			m.stack = m.stack[:i]
			return values
		}
	}
	m.fail("mark is missing")
	return nil
}
