package search

// letters is the set of a term's letters and digits as bits: terms that are
// one edit apart differ in at most two of them.
func letters(term string) uint64 {
	var set uint64
	for _, r := range term {
		switch {
		case r >= 'a' && r <= 'z':
			set |= 1 << (r - 'a')
		case isDigit(r):
			set |= 1 << (26 + r - '0')
		default:
			set |= 1 << (36 + r%28)
		}
	}
	return set
}
