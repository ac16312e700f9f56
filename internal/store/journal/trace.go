package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A trace holds many steps in few bytes: those whose outcome follows from the rest
// of their run, so that their inputs and outputs can be left out. Steps of the same
// node share its description, and numbers are differences from the step before.
type trace struct {
	buf    []byte
	nodes  map[tracedNode]int
	keys   []string // of the last step, by node
	before tracedStep
}

// tracedNode is what steps of one node have in common.
type tracedNode struct {
	node, nodeType, branches string // branches is JSON, "" for none
	definition               uint64
	part, pure, frame        bool
}

// tracedStep is what differs little from step to step.
type tracedStep struct{ index, ended, started int64 }

// What a step's flags say.
const (
	hasEnded  = 1 << iota
	hasValues // its input and output are kept, where it has them
	hasInput
	hasOutput
)

// add appends a step. Input and output are JSON, nil for none; they are not kept
// unless values is set.
func (t *trace) add(s *run.StepRecord, values bool, input, output []byte) {
	of := tracedNode{node: s.Node, nodeType: s.Type, definition: s.Definition, part: s.Part, pure: s.Pure, frame: s.Frame}
	if s.Branches != nil {
		b, _ := json.Marshal(s.Branches)
		of.branches = string(b)
	}
	node, known := t.nodes[of]
	if !known {
		if t.nodes == nil {
			t.nodes = map[tracedNode]int{}
		}
		node = len(t.keys)
		t.nodes[of], t.keys = node, append(t.keys, "")
	}
	t.uint(uint64(node)) //nolint:gosec // not negative
	if !known {
		t.text(of.node)
		t.text(of.nodeType)
		t.text(of.branches)
		t.uint(of.definition)
		t.buf = append(t.buf, bits(of.part, of.pure, of.frame))
	}
	same := commonPrefix(t.keys[node], s.Key)
	t.keys[node] = s.Key
	t.uint(uint64(same)) //nolint:gosec // not negative
	t.text(s.Key[same:])
	ended := s.Ended > 0
	t.buf = append(t.buf, bits(ended, values, values && input != nil, values && output != nil))
	now := tracedStep{int64(s.Index), t.before.ended, nanos(s.Started)}
	t.int(now.index - t.before.index)
	t.int(now.started - t.before.started)
	if ended {
		now.ended = int64(s.Ended)
		t.int(now.ended - t.before.ended)
		t.int(int64(s.Duration))
	}
	t.before = now
	t.uint(uint64(s.Attempts)) //nolint:gosec // not negative
	if values && input != nil {
		t.bytes(input)
	}
	if values && output != nil {
		t.bytes(output)
	}
}

func bits(flags ...bool) (b byte) {
	for i, f := range flags {
		if f {
			b |= 1 << i
		}
	}
	return b
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func (t *trace) uint(v uint64)  { t.buf = binary.AppendUvarint(t.buf, v) }
func (t *trace) int(v int64)    { t.buf = binary.AppendVarint(t.buf, v) }
func (t *trace) text(s string)  { t.uint(uint64(len(s))); t.buf = append(t.buf, s...) }
func (t *trace) bytes(b []byte) { t.uint(uint64(len(b))); t.buf = append(t.buf, b...) }

// errTrace says that a trace cannot be read.
var errTrace = errors.New("a trace of steps cannot be read")

// decodeTrace calls f for each step of a trace, in order. A step whose values were
// left out has Lost set. Values are passed through restore.
func decodeTrace(data []byte, restore func([]byte) []byte, f func(run.StepRecord)) error {
	r := traceReader{rest: data, restore: restore}
	var (
		nodes  []tracedNode
		keys   []string
		before tracedStep
	)
	for len(r.rest) > 0 && r.err == nil {
		node := r.uint()
		if node == uint64(len(nodes)) {
			of := tracedNode{node: r.text(), nodeType: r.text(), branches: r.text(), definition: r.uint()}
			flags := r.byte()
			of.part, of.pure, of.frame = flags&1 != 0, flags&2 != 0, flags&4 != 0
			nodes, keys = append(nodes, of), append(keys, "")
		}
		if node >= uint64(len(nodes)) {
			return errTrace
		}
		of, last := nodes[node], keys[node]
		same := r.uint()
		if same > uint64(len(last)) {
			return errTrace
		}
		s := run.StepRecord{Node: of.node, Type: of.nodeType, Definition: of.definition, Part: of.part, Pure: of.pure, Frame: of.frame, Key: last[:same] + r.text()}
		keys[node] = s.Key
		flags := r.byte()
		before.index += r.int()
		before.started += r.int()
		s.Index, s.Started = int(before.index), timeFromNanos(before.started)
		if flags&hasEnded != 0 {
			before.ended += r.int()
			s.Ended, s.Duration = int(before.ended), time.Duration(r.int())
			s.Lost = flags&hasValues == 0
		}
		s.Attempts = int(r.uint() & (1<<31 - 1)) //nolint:gosec // fits
		if of.branches != "" {
			r.fail(json.Unmarshal([]byte(of.branches), &s.Branches))
		}
		s.Input = r.value(flags&hasInput != 0)
		s.Output = r.value(flags&hasOutput != 0)
		if r.err == nil && (s.Index < 0 || s.Index >= maxIndex || s.Ended < 0) {
			return errTrace
		}
		if r.err == nil {
			f(s)
		}
	}
	return r.err
}

// traceReader reads the parts of a trace. After an error it returns zero values.
type traceReader struct {
	rest    []byte
	restore func([]byte) []byte
	err     error
}

func (r *traceReader) fail(err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("%w: %w", errTrace, err)
	}
}

func (r *traceReader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		r.fail(errors.New("it ends too early"))
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *traceReader) uint() uint64 { return readNumber(r, binary.Uvarint) }

func (r *traceReader) int() int64 { return readNumber(r, binary.Varint) }

func readNumber[T uint64 | int64](r *traceReader, read func([]byte) (T, int)) T {
	v, n := read(r.rest)
	if n <= 0 {
		r.fail(errors.New("a number is damaged"))
		r.rest = nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *traceReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *traceReader) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail(errors.New("it ends too early"))
		return nil
	}
	return r.take(int(n)) //nolint:gosec // at most the length of a slice
}

func (r *traceReader) text() string { return string(r.bytes()) }

func (r *traceReader) value(there bool) expr.Value {
	if !there {
		return nil
	}
	v, err := decodeValue(r.restore(r.bytes()))
	r.fail(err)
	return v
}
