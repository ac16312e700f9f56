package run

import (
	"slices"
	"strings"
)

// Detached reports whether a step is part of a branch that nobody waits for. branches
// returns the names of the branches of a step that join, nil for a step without any
// and for one that was kept without them.
func Detached(key string, branches func(of string) []string) bool {
	return slices.ContainsFunc(Enclosing(key), func(of string) bool {
		joining := branches(of)
		rest, inside := strings.CutPrefix(key[len(of):], "/")
		name, _, _ := strings.Cut(rest, "/")
		return joining != nil && inside && !slices.Contains(joining, name)
	})
}

// branchesOf returns what [Detached] asks of the steps of a record.
func (r *Record) branchesOf() func(of string) []string {
	branches := map[string][]string{}
	for i := range r.Steps {
		if step := &r.Steps[i]; step.Branches != nil {
			branches[step.Key] = step.Branches
		}
	}
	return func(of string) []string { return branches[of] }
}
