package regex

import "regexp/syntax"

// Size returns about how many instructions a pattern has once its repetitions are
// written out, without doing that; 0 for one that Go cannot express. Matching takes
// time in proportion to it.
func Size(pattern string) int64 {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	return size(re) + 2
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
