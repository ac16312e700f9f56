package journal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// A run is believed if this user's Patchbay wrote all of it. Its row has two codes under
// the user's key, for this journal and this run: the seal covers how the run began, and
// the head how it stands, with the sum of the codes of its other rows. The sum alone is
// stored, inside the head, so a row that is changed, left out, added, moved or put back to
// what it was is noticed, and a run is written with one row more or less by one update.
// The first half of the head is the code of how the run stands alone, for lists of runs.
// A file that is put back as a whole, or all rows of a run, are not noticed.

// A sealer computes codes for one journal.
type sealer struct {
	path    string // of the journal
	journal string // its random ID
	states  sync.Pool
}

// sealing is what the computation of a code needs.
type sealing struct {
	mac  hash.Hash
	text []byte
	sum  [sha256.Size]byte
}

func newSealer(path string, key []byte) *sealer {
	s := &sealer{path: path}
	s.states.New = func() any { return &sealing{mac: hmac.New(sha256.New, key)} }
	return s
}

// sum returns the code of columns, which are values as SQLite stores them, and of more
// such values. The kind says what the columns are of.
func (s *sealer) sum(kind string, columns []any, more ...any) []byte {
	sum := s.digest(kind, columns, more...)
	return sum[:]
}

func (s *sealer) digest(kind string, columns []any, more ...any) [sha256.Size]byte {
	state := s.states.Get().(*sealing)
	defer s.states.Put(state)
	b := appendValue(appendValue(state.text[:0], kind), s.journal)
	for _, v := range columns {
		b = appendValue(b, v)
	}
	for _, v := range more {
		b = appendValue(b, v)
	}
	state.mac.Reset()
	_, _ = state.mac.Write(b)
	if state.text = b; cap(b) > 1<<20 {
		state.text = nil
	}
	state.mac.Sum(state.sum[:0])
	return state.sum
}

func appendValue(b []byte, v any) []byte {
	number := func(kind byte, n int64) []byte { return binary.BigEndian.AppendUint64(append(b, kind), uint64(n)) } //nolint:gosec // the same bits
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		if v {
			return number('i', 1)
		}
		return number('i', 0)
	case int:
		return number('i', int64(v))
	case int64:
		return number('i', v)
	case string:
		return append(number('t', int64(len(v))), v...)
	case text:
		return append(number('t', int64(len(v))), v...)
	case []byte:
		return append(number('b', int64(len(v))), v...)
	}
	panic("journal: a column has a type that SQLite does not store")
}

// sealed are the columns of a run that its seal covers, and the seal.
const sealedColumns = "principal, graph, mode, source_name, source_text, source_tool, source_trusted, arguments, options, started, begun, project, id, seal"

// A sealedRow is a row of sealedColumns.
type sealedRow [14]any

// Columns of a sealedRow.
const (
	sealedProject = 11
	sealedID      = 12
	sealedCode    = 13
)

// into returns where Scan puts the columns of a row.
func into(row []any) []any {
	list := make([]any, len(row))
	for i := range row {
		list[i] = &row[i]
	}
	return list
}

// standingColumns are what the head of a run says of how it stands, and the head.
const standingColumns = "begun, ended, resumed, status, result, fault, head"

// A standingRow is a row of standingColumns.
type standingRow [7]any

// valid reports whether the run with the ID stood so once.
func (r *standingRow) valid(s *sealer, id string) bool {
	last := len(r) - 1
	head, _ := r[last].([]byte)
	return len(head) == 2*sha256.Size && hmac.Equal(head[:sha256.Size], s.sum("stands", r[:last], id))
}

// valid reports whether the run began so.
func (r *sealedRow) valid(s *sealer) bool {
	code, _ := r[sealedCode].([]byte)
	return hmac.Equal(code, s.sum("run", r[:sealedCode]))
}

// A code is that of a row of a run.
type code [16]byte

func short(sum [sha256.Size]byte) code { return code(sum[:len(code{})]) }

// A rowID names a row of a run.
type rowID struct {
	table byte // 's', 'i' or 't': of steps, intents or traces
	index int  // of a step or a trace
	key   string
}

// codes are those of the rows of a run as they are on disk, and in the transaction that is
// being written.
type codes struct {
	rows   map[rowID]code
	sum    code
	traces int
	undo   []undone
	before int // traces before the transaction
}

type undone struct {
	row rowID
	was code
}

// set notes the code of a row that is written; the zero code says that the row is deleted.
func (c *codes) set(row rowID, is code) {
	was := c.rows[row]
	c.undo = append(c.undo, undone{row, was})
	c.put(row, was, is)
}

func (c *codes) put(row rowID, was, is code) {
	for i := range c.sum {
		c.sum[i] ^= was[i] ^ is[i]
	}
	switch {
	case is == code{}:
		delete(c.rows, row)
	case c.rows == nil:
		c.rows = map[rowID]code{row: is}
	default:
		c.rows[row] = is
	}
}

func (c *codes) step(s *sealer, index int, columns []any) {
	row := rowID{table: 's', index: index}
	c.set(row, short(s.digest("step", columns, index)))
}

func (c *codes) trace(s *sealer, data []byte) {
	c.set(rowID{table: 't', index: c.traces}, short(s.digest("trace", nil, c.traces, data)))
	c.traces++
}

// intent notes an intent of the columns key, step, kind, at, until, detail and outcome. The
// answer to a question with which a call waits has a code of its own, since another
// process may write it.
func (c *codes) intent(s *sealer, columns []any) {
	covered := columns[:7]
	if columns[2] == string(run.IntentHeld) {
		covered = columns[:6]
	}
	c.set(rowID{table: 'i', key: columns[0].(string)}, short(s.digest("intent", covered)))
}

// drop notes that the rows are deleted which f chooses.
func (c *codes) drop(f func(rowID) bool) {
	for row := range c.rows {
		if f(row) {
			c.set(row, code{})
		}
	}
}

// answer returns the code of the answer to a question with which a call of a run waits; the
// answer is a text or a hash.
func (s *sealer) answer(run, key string, answer any) []byte {
	return s.sum("answer", nil, run, key, answer)
}

// head is the code of a run with these rows; stands are its begun, ended, resumed,
// status, result and fault.
func (c *codes) head(s *sealer, id string, stands []any) []byte {
	alone := s.sum("stands", stands, id)
	return append(alone, s.sum("head", nil, alone, c.sum[:])...)
}

// settle ends a transaction.
func (c *codes) settle(committed bool) {
	if !committed {
		for _, u := range slices.Backward(c.undo) {
			c.put(u.row, c.rows[u.row], u.was)
		}
		c.traces = c.before
	}
	c.undo, c.before = c.undo[:0], c.traces
}

var codeUnverifiedRun = diag.DefineFault("unverified-run", diag.FailsAttempt, "this user's Patchbay did not write the stored run or state, or it was changed since", "look at it; if you know where the journal comes from, [`patchbay runs trust FILE`](durability.md#which-runs-are-believed)")

// unverified is the fault of what is not believed.
func (s *sealer) unverified(what string) *diag.Fault {
	return diag.Faultf(codeUnverifiedRun, "%s is not verified: this user's Patchbay did not write it, or the journal was changed since", what).
		WithHint("a person who knows where the journal comes from looks at it and runs: patchbay runs trust " + s.path)
}
