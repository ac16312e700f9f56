package jsonata

import "slices"

// separatorsAt are the same separators at several positions.
func separatorsAt(positions []int) []separator {
	list := make([]separator, len(positions))
	for i, at := range positions {
		list[i] = separator{at, ','}
	}
	return list
}

// regularDistance is the distance of separators that are the same and the same number
// of digits apart, or 0.
func regularDistance(list []separator) int {
	if len(list) == 0 {
		return 0
	}
	factor := 0
	for _, s := range list {
		if s.char != list[0].char {
			return 0
		}
		for a := s.position; a != 0; {
			factor, a = a, factor%a
		}
	}
	for i := range list {
		if !slices.ContainsFunc(list, func(s separator) bool { return s.position == (i+1)*factor }) {
			return 0
		}
	}
	return factor
}
