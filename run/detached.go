package run

import (
	"slices"
	"strings"
)

// AfterKey is between the key of a step and the name of a branch that begins after it, in
// the keys of the branch's steps: "call#0~log/a#0". They are not part of the step, and
// nobody waits for them.
const AfterKey = "~"

// after returns the key of the step after which a branch begins whose keys begin with a
// text, "" if the text is not of such a branch.
func after(dir string) string {
	at := strings.LastIndex(dir, AfterKey)
	if at < 0 {
		return ""
	}
	count := strings.TrimRight(dir[:at], "0123456789")
	if len(count) == at || !strings.HasSuffix(count, "#") || strings.Contains(strings.TrimSuffix(dir[at:], "/"), "/") {
		return ""
	}
	return dir[:at]
}

// Detached reports whether a step is part of a branch that nobody waits for. branches
// returns the names of the branches of a step that join, nil for a step without any
// and for one that was kept without them.
func Detached(key string, branches func(of string) []string) bool {
	return slices.ContainsFunc(Enclosing(key), func(of string) bool {
		if after(of) != "" {
			return true
		}
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
		if step := r.Steps[i]; step.Branches != nil {
			branches[step.Key] = step.Branches
		}
	}
	return func(of string) []string { return branches[of] }
}
