package jsonata

import (
	"slices"
)

// functionNames are those of [Builtins]: JSONata's built-in functions
// (docs.jsonata.org, function library 2.x) and Patchbay's history functions, sorted.
var functionNames = Builtins()

// Functions returns the names of the functions every expression may call, sorted
// and without their $.
func Functions() []string { return slices.Clone(functionNames) }

// IsFunction reports whether every expression may call a function of the name.
func IsFunction(name string) bool {
	_, found := slices.BinarySearch(functionNames, name)
	return found
}
