package jsonata

import (
	"maps"
	"slices"
)

// Signatures are the functions that every expression can call, each with its signature
// in JSONata's notation.
var Signatures = func() map[string]string {
	m := make(map[string]string, len(builtins))
	for _, row := range builtins {
		m[row.name] = row.signature
	}
	return m
}()

// Builtins returns the names of all functions an expression can call, without
// "$", sorted.
func Builtins() []string { return slices.Sorted(maps.Keys(Signatures)) }
