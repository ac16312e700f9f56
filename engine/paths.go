package engine

import "slices"

// paths are paths into a value, sorted.
type paths [][]string

// newPaths sorts paths in place.
func newPaths(all [][]string) paths {
	slices.SortFunc(all, slices.Compare[[]string])
	return all
}

// holder returns the shortest of the paths that is that of a value or of what holds
// the value.
func (p paths) holder(path []string) (found []string, ok bool) {
	for n := range len(path) + 1 {
		if _, ok := slices.BinarySearchFunc(p, path[:n], slices.Compare[[]string]); ok {
			return path[:n], true
		}
	}
	return nil, false
}

// hold reports whether one of the paths is that of a value or of what holds it.
func (p paths) hold(path []string) bool {
	_, ok := p.holder(path)
	return ok
}

// inside reports whether one of the paths is that of a value or of what is in it.
func (p paths) inside(path []string) bool {
	i, _ := slices.BinarySearchFunc(p, path, slices.Compare[[]string])
	return i < len(p) && isPrefix(path, p[i])
}

// isPrefix reports whether path begins with prefix.
func isPrefix(prefix, path []string) bool {
	return len(prefix) <= len(path) && slices.Equal(prefix, path[:len(prefix)])
}
