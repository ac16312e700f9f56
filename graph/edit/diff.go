package edit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

const (
	diffContext = 3    // unchanged lines around a change
	diffEffort  = 2000 // edits looked for before a stretch counts as replaced
)

// Diff returns the change from before to after as a unified diff with three
// lines of context, or "". name heads it unless empty. Texts that
// have little in common are shown as one replaced by the other.
func Diff(name, before, after string) string { return DiffWithin(name, before, after, diffEffort) }

// DiffGraphs is [Diff] for texts of a graph, with so many lines of context. Graphs of one
// line, as JSON is sent, are compared as [Encode] writes them.
func DiffGraphs(name, before, after string, context int) string {
	if a, b := inLines(before), inLines(after); a != "" && b != "" && a != b {
		before, after = a, b
	}
	return diff(name, before, after, diffEffort, context)
}

// inLines is the text of a graph that is one line, in several; "" for any other text.
func inLines(text string) string {
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return ""
	}
	doc, _ := graph.Parse("", text)
	if doc == nil {
		return ""
	}
	return string(graph.Encode(doc.Root))
}

// DiffWithin is [Diff] with a limit on the edits that it searches for: its time grows with
// their square. It shows a stretch with more edits as replaced.
func DiffWithin(name, before, after string, edits int) string {
	return diff(name, before, after, edits, diffContext)
}

func diff(name, before, after string, edits, context int) string {
	if before == after {
		return ""
	}
	a, b := splitLines(before), splitLines(after)
	steps := diffLines(a, b, edits)
	var out strings.Builder
	if name != "" {
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	}
	for i := 0; i < len(steps); {
		if steps[i].op == ' ' {
			i++
			continue
		}
		from, to, quiet := max(0, i-context), i, 0
		for ; to < len(steps) && quiet <= 2*context; to++ {
			if quiet++; steps[to].op != ' ' {
				quiet = 0
			}
		}
		to -= max(0, quiet-context)
		hunk(&out, steps[from:to])
		i = to
	}
	return out.String()
}

// A diffStep is a line that stays (' '), goes ('-') or comes ('+'), and how many
// lines of each text precede it.
type diffStep struct {
	op           byte
	line         string
	before, then int
}

func hunk(out *strings.Builder, steps []diffStep) {
	count := map[byte]int{}
	for _, s := range steps {
		count[s.op]++
	}
	olds, news := count[' ']+count['-'], count[' ']+count['+']
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(steps[0].before, olds), hunkRange(steps[0].then, news))
	for _, s := range steps {
		out.WriteByte(s.op)
		out.WriteString(strings.TrimSuffix(s.line, "\n"))
		out.WriteByte('\n')
		if !strings.HasSuffix(s.line, "\n") {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

func hunkRange(start, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", start)
	}
	if count == 1 {
		return strconv.Itoa(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// diffLines returns a shortest edit script, found by Myers' greedy algorithm
// between the common head and tail.
func diffLines(a, b []string, edits int) []diffStep {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	steps := make([]diffStep, 0, len(a)+len(b))
	i, j := 0, 0
	step := func(op byte) {
		s := diffStep{op: op, before: i, then: j}
		if op == '+' {
			s.line = b[j]
		} else {
			s.line = a[i]
			i++
		}
		if op != '-' {
			j++
		}
		steps = append(steps, s)
	}
	for range head {
		step(' ')
	}
	for _, op := range myers(a[head:len(a)-tail], b[head:len(b)-tail], edits) {
		step(op)
	}
	for range tail {
		step(' ')
	}
	return steps
}

// myers returns the operations that turn a into b.
func myers(a, b []string, edits int) []byte {
	n, m := len(a), len(b)
	limit := min(n+m, edits)
	reach := make([]int, 2*limit+2) // furthest x on each diagonal
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), reach[limit-d:limit+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				if k == -d || k != d && reach[limit+k-1] < reach[limit+k+1] {
					x = reach[limit+k+1]
				} else {
					x = reach[limit+k-1] + 1
				}
			}
			y := x - k
			for x < n && y < m && y >= 0 && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[limit+k] = x
			if x >= n && y >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return append([]byte(strings.Repeat("-", n)), strings.Repeat("+", m)...)
}

// backtrack reads the operations off the furthest points of each round; round d
// of trace covers the diagonals from -d to d+1.
func backtrack(trace [][]int, x, y int) []byte {
	var ops []byte
	for d := len(trace) - 1; d > 0; d-- {
		v, k := trace[d], x-y
		at := func(k int) int { return v[k+d] }
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		for x > px && y > py {
			ops, x, y = append(ops, ' '), x-1, y-1
		}
		if prev == k+1 {
			ops, y = append(ops, '+'), y-1
		} else {
			ops, x = append(ops, '-'), x-1
		}
	}
	for range x {
		ops = append(ops, ' ')
	}
	for l, r := 0, len(ops)-1; l < r; l, r = l+1, r-1 {
		ops[l], ops[r] = ops[r], ops[l]
	}
	return ops
}
