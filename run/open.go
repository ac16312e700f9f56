package run

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// RetryKey is between the key of a step and the number of the attempt that failed, in
// the key of the wait before the next.
const RetryKey = "/retry#"

// Open returns the open steps of a run: those that failed, or had begun and not
// ended. It omits
//   - the steps that contain them,
//   - the parts of a step that is done, and of an attempt that was followed by another,
//   - the steps of detached branches.
//
// A step that is done is open if the run has diverged there. The list is empty if the run was
// stopped between two steps.
func (r *Record) Open() []*StepRecord {
	diverged := ""
	if r.Fault != nil && r.Fault.Code == Diverged {
		diverged = CallOf(r.Fault).Step
	}
	undone := r.Undone()
	if diverged != "" {
		undone = slices.Collect(r.undoneOr(diverged))
	}
	within := map[string]bool{} // the steps that these are part of
	for _, step := range undone {
		for _, of := range Enclosing(step.Key) {
			within[of] = true
		}
	}
	if len(within) > 0 {
		undone = r.dropSettled(undone, within)
	}
	holds := map[string]bool{} // steps that others are part of
	for _, step := range undone {
		for _, of := range Enclosing(step.Key) {
			holds[of] = true
		}
	}
	return slices.DeleteFunc(undone, func(step *StepRecord) bool { return holds[step.Key] })
}

// undoneOr goes over the steps that are not done, and the one with a key.
func (r *Record) undoneOr(key string) iter.Seq[*StepRecord] {
	return func(yield func(*StepRecord) bool) {
		for _, step := range r.Steps {
			if step.Key != "" && (!step.Done() || step.Key == key) && !yield(step) {
				return
			}
		}
	}
}

// dropSettled removes the steps that are part of what is done, of an attempt that was
// followed by another, or of a detached branch. All that they are part of is
// in within.
func (r *Record) dropSettled(steps []*StepRecord, within map[string]bool) []*StepRecord {
	done, latest := map[string]bool{}, r.FailedAttempts()
	for key := range latest {
		latest[key]++
	}
	for i := range r.Steps {
		key := r.Steps[i].Key
		if r.Steps[i].Done() && within[key] {
			done[key] = true
		}
		for j := range len(key) {
			if strings.HasPrefix(key[j:], attemptMark) && within[key[:j]] {
				latest[key[:j]] = max(latest[key[:j]], attemptIn(key, key[:j]))
			}
		}
	}
	branches := r.joiningBranches()
	return slices.DeleteFunc(steps, func(step *StepRecord) bool {
		over := func(of string) bool { return done[of] || attemptIn(step.Key, of) < latest[of] }
		return slices.ContainsFunc(Enclosing(step.Key), over) || Detached(step.Key, branches)
	})
}

// FailedAttempts returns how many attempts at each step have failed and were followed
// by another, by the key of the step.
func (r *Record) FailedAttempts() map[string]int {
	failed := map[string]int{}
	for i := range r.Intents {
		in := &r.Intents[i]
		if at := strings.LastIndex(in.Key, RetryKey); at >= 0 && in.Kind == IntentSleep {
			attempt, _ := strconv.Atoi(in.Key[at+len(RetryKey):]) // of our own
			failed[in.Step] = max(failed[in.Step], attempt)
		}
	}
	return failed
}

// Enclosing returns the keys of the steps that a step is part of, outermost first.
func Enclosing(key string) []string {
	var keys []string
	for i := range key {
		if key[i] == '/' || key[i] == '[' {
			keys = append(keys, key[:i])
		}
	}
	return keys
}

// attemptMark is before the number of an attempt but the first in the key of a step.
const attemptMark = "/#"

// attemptIn returns the attempt at a step in which another was executed; the
// key begins with that of the first: "call#0/#2/a#0" is of the second at "call#0".
func attemptIn(key, of string) int {
	if rest, numbered := strings.CutPrefix(key[len(of):], attemptMark); numbered {
		digits, _, _ := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return 1
}

// Superseded reports whether a step is of an attempt at another that failed and was
// followed by the next; failed is what [Record.FailedAttempts] returns.
func Superseded(key string, failed map[string]int) bool {
	return slices.ContainsFunc(Enclosing(key), func(of string) bool { return failed[of] > 0 && attemptIn(key, of) <= failed[of] })
}

// InDoubt returns the calls of open steps that only a decision repeats: nobody
// knows whether they took effect, or that were completed without a result.
func (r *Record) InDoubt() []Called {
	if !slices.ContainsFunc(r.Intents, inDoubt) {
		return nil
	}
	var calls []Called
	for _, step := range r.Open() {
		if in := r.callInDoubt(step); in != nil {
			calls = append(calls, in.Called())
		}
	}
	return calls
}

// callInDoubt returns the intent of the call of a step that only a decision repeats, or
// nil.
func (r *Record) callInDoubt(step *StepRecord) *Intent {
	for i := range r.Intents {
		if in := &r.Intents[i]; in.Step == step.Key && inDoubt(*in) {
			return in
		}
	}
	return nil
}

// inDoubt reports whether an intent is of a call that only a decision repeats, if its
// step is open.
func inDoubt(in Intent) bool { return in.Kind == IntentCall && in.Outcome == nil }

// AfterKey is between the key of a step and the name of a branch that begins after it, in
// the keys of the branch's steps: "call#0~log/a#0". They are not part of the step, and
// no node waits for them.
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

// Detached reports whether a step is part of a detached branch. branches
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

// joiningBranches returns what [Detached] asks of the steps of a record.
func (r *Record) joiningBranches() func(of string) []string {
	branches := map[string][]string{}
	for i := range r.Steps {
		if step := r.Steps[i]; step.Branches != nil {
			branches[step.Key] = step.Branches
		}
	}
	return func(of string) []string { return branches[of] }
}
