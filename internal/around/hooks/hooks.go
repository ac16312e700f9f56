// Package hooks executes the JavaScript of hooks, in child processes of the program's
// own binary: a script can be stopped whatever it does, by ending its process. It knows
// what a script is given and returns, and nothing of workflows.
//
// [Pool] is the parent's side. A program that has a Pool calls [ServeIfWorker] first,
// since its own binary is what the Pool starts.
package hooks

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	// MaxScript is how many bytes a script may have.
	MaxScript = 1 << 20
	// MaxAnswer is how many bytes what a script returns and its context may have
	// together, as JSON.
	MaxAnswer = 8 << 20
	// DefaultTimeout is how long a script may take that does not say.
	DefaultTimeout = 5 * time.Second
	// Memory is how many bytes a script may take in addition to what its process has
	// when it is started.
	Memory = 64 << 20
)

// A Job is one execution of a script.
type Job struct {
	Name    string            // of the node or module, for logs
	Script  string            // JavaScript, in one of the forms that the documentation of hooks lists
	Context json.RawMessage   // a JSON object; the script sees a copy
	Secrets map[string]string // what the script sees as secrets.NAME; nil: there is no such variable
	Timeout time.Duration     // 0 is DefaultTimeout
}

// An Answer is what a script has come to.
type Answer struct {
	Returned json.RawMessage `json:"returned,omitempty"` // nil is undefined
	// Context is the context as the script has left it. What the script has not changed
	// is as it was given, but for whitespace.
	Context json.RawMessage `json:"context"`
}

// The codes of failures.
const (
	ScriptError = "SCRIPT_ERROR" // the script is not JavaScript, or has thrown, or what it returns is not JSON
	Timeout     = "TIMEOUT"      // it took too long, or waits for what never happens
	Limit       = "LIMIT"        // it took too much memory, calls itself too deeply, or returns too much
)

// A Failure is why a script has no answer.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"` // ends with "at line:column" where the place is known
	// Line and Column are the place in the script, from 1, in characters; 0 is unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// Error returns the code and the message.
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

func failure(code, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// at returns the failure with its place.
func (f *Failure) at(line, column int) *Failure {
	if line > 0 {
		f.Line, f.Column = line, column
		f.Message += fmt.Sprintf(" at %d:%d", line, column)
	}
	return f
}

// tookTooLong is the failure of a script that was stopped by its time limit.
func tookTooLong(limit time.Duration) *Failure {
	return failure(Timeout, "the script was stopped after %s, its time limit", limit)
}

func tookTooMuch() *Failure {
	return failure(Limit, "the script was stopped: it takes more than %d MB of memory", Memory>>20)
}
