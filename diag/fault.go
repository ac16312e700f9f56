package diag

import (
	"fmt"
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

// BadArgument is the fault of an argument of a verb.
func BadArgument(path, hint, format string, args ...any) *Fault {
	return Faultf("bad-argument", format, args...).At(path).WithHint(hint)
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
