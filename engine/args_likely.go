package engine

import "slices"

// ownArguments are the arguments of the call, by what others may call them: the first
// two of each, since only one that is alone is meant.
type ownArguments struct {
	plain map[string][]string
	words [][]string // by the class of a word
}

func (p *Pass) newOwnArguments() *ownArguments {
	a := &ownArguments{plain: map[string][]string{}, words: make([][]string, len(wordClasses))}
	add := func(list []string, name string) []string {
		if len(list) < 2 {
			list = append(list, name)
		}
		return list
	}
	for name := range p.tool.InputSchema.Get("properties").Members() {
		a.plain[plain(name)] = add(a.plain[plain(name)], name)
		for _, class := range classIndexes(name) {
			a.words[class] = add(a.words[class], name)
		}
	}
	return a
}

// likelyArgument finds the argument of the call that is meant for a tool's: one of the
// same name, or the only one by a similar word.
func (p *Pass) likelyArgument(name string) string {
	if p.isArgument(name) {
		return name
	}
	if p.ownArguments == nil {
		p.ownArguments = p.newOwnArguments()
	}
	similar := p.ownArguments.plain[plain(name)]
	for _, class := range classIndexes(name) {
		similar = append(slices.Clip(similar), p.ownArguments.words[class]...)
	}
	for _, other := range similar {
		if other != similar[0] {
			return ""
		}
	}
	if len(similar) == 0 {
		return ""
	}
	return similar[0]
}
