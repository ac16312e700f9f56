package diag

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Fault is a failure that is not the document's: a bad argument of a call, a
// server that is down, a run that failed. It is the one error shape of every
// reply, and an error.
type Fault struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Node        string   `json:"node,omitempty"`
	Path        string   `json:"path,omitempty"` // JSON Pointer into what the caller sent
	Got         any      `json:"got,omitempty"`
	Want        any      `json:"want,omitempty"`
	Hint        string   `json:"hint,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`

	// Details is what the other side said, a JSON value for the expressions of a
	// graph that handles the failure; the message has its beginning.
	Details any `json:"-"`

	Err error `json:"-"` // the cause, for errors.Is; never shown
}

// A FaultKind is what the faults of one code have in common.
type FaultKind struct {
	Code     string
	Effect   Effect
	What, Do string // what happened, and what to do about it, in Markdown
}

// An Effect is what a fault means for the run or the request that it occurs in.
type Effect int

// What faults do.
const (
	FailsAttempt   Effect = iota // a node fails: another attempt may succeed
	FailsNode                    // a node fails, and every attempt would
	EndsRun                      // the run fails, whatever its graph says
	ParksRun                     // the run stops until somebody decides
	RefusesRequest               // a call or a command fails, and no run
)

var faultKinds = map[string]FaultKind{}

// DefineFault declares the code of a fault, and returns it. Call it in a package-level var
// next to what fails. It panics when the code is already taken.
func DefineFault(code string, effect Effect, what, do string) string {
	if _, dup := faultKinds[code]; dup {
		panic("diag: fault defined twice: " + code)
	}
	faultKinds[code] = FaultKind{code, effect, what, do}
	return code
}

// FaultKinds returns the declared faults, sorted by effect and code.
func FaultKinds() []FaultKind {
	return slices.SortedFunc(maps.Values(faultKinds), func(a, b FaultKind) int {
		return cmp.Or(cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.Code, b.Code))
	})
}

// EffectOf returns the effect of the faults of a code, FailsAttempt for one that is not
// declared: it is somebody else's.
func EffectOf(code string) Effect { return faultKinds[code].Effect }

// Faultf returns a Fault with a formatted message, cut as [Brief] does.
func Faultf(code, format string, args ...any) *Fault {
	err := fmt.Errorf(format, args...)
	return &Fault{Code: code, Message: Brief(err.Error()), Err: err}
}

// WithHint sets the hint, and returns f.
func (f *Fault) WithHint(hint string) *Fault {
	f.Hint = hint
	return f
}

// At sets the path, and returns f.
func (f *Fault) At(path string) *Fault {
	f.Path = path
	return f
}

// Error returns the message, led by the node it is about.
func (f *Fault) Error() string {
	if f.Node != "" {
		return fmt.Sprintf("node %q: %s", f.Node, f.Message)
	}
	return f.Message
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

var CodeBadArgument = DefineFault("bad-argument", RefusesRequest, "an argument of the tool or command is missing, unknown or wrong", "correct the one at `path`")

// BadArgument is the fault of an argument of a verb.
func BadArgument(path, hint, format string, args ...any) *Fault {
	return Faultf(CodeBadArgument, format, args...).At(path).WithHint(hint)
}

// JoinHints returns one hint of several, without those that are empty. A hint is a sentence
// without a capital and a full stop, so semicolons are between them; one of several lines
// comes last.
func JoinHints(hints ...string) string {
	var short, long []string
	for _, hint := range hints {
		switch {
		case strings.Contains(hint, "\n"):
			long = append(long, hint)
		case hint != "":
			short = append(short, hint)
		}
	}
	return strings.Join(append(short, long...), "; ")
}
