package regex

import "regexp/syntax"

// Size returns about how many instructions a pattern of JavaScript or Go has once its
// repetitions are written out, without doing that; 0 for one that cannot be read.
// Matching takes time in proportion to it.
func Size(pattern string) int64 {
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		return size(re) + 2
	}
	root, _, err := parse(pattern)
	if err != nil {
		return 0
	}
	return root.size() + 2
}

func (n *node) size() int64 {
	var all int64 = 1
	for _, sub := range n.subs {
		all = min(all+sub.size(), huge)
	}
	if n.op == opRepeat {
		all = min((all+1)*int64(max(n.min, n.max, 1)), huge)
	}
	return all
}

// huge is more than any bound. It leaves room to add and multiply.
const huge = 1 << 31

func size(re *syntax.Regexp) int64 {
	var n int64 = 1
	switch re.Op {
	case syntax.OpLiteral:
		n = int64(len(re.Rune))
	case syntax.OpCapture:
		n = 2
	}
	for _, sub := range re.Sub {
		n = min(n+size(sub), huge)
	}
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpAlternate:
		n++
	case syntax.OpRepeat:
		n = min((n+1)*int64(max(re.Min, re.Max, 1)), huge)
	}
	return n
}
