// Package lists makes lists of lists. It imports nothing of ours.
package lists

// Each returns what f makes of each item of a list, never nil.
func Each[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, item := range list {
		made[i] = f(item)
	}
	return made
}

// Only returns the items of a list for which f is true; nil if there is none.
func Only[T any](list []T, f func(T) bool) (chosen []T) {
	for _, item := range list {
		if f(item) {
			chosen = append(chosen, item)
		}
	}
	return chosen
}
