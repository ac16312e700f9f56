package hooks

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// A request is a line to a worker: a script to execute, or only to check. The text of a
// script is sent once; its number names it from then on.
type request struct {
	Name    string            `json:"name,omitempty"`
	Script  int               `json:"script"`
	Text    *string           `json:"text,omitempty"`
	Forget  bool              `json:"forget,omitempty"` // all scripts sent before
	Check   bool              `json:"check,omitempty"`
	Context json.RawMessage   `json:"context,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"`
	LimitMs int64             `json:"limitMs,omitempty"`
}

// A reply is a line of a worker: that it is ready, a line for the log, or the outcome of
// the request.
type reply struct {
	Ready  bool     `json:"ready,omitempty"`
	Log    *logLine `json:"log,omitempty"`
	Done   *outcome `json:"done,omitempty"`
	Retire bool     `json:"retire,omitempty"` // the worker has taken so much memory that the next script would have less
}

// An outcome has an answer or a failure; neither, if a check has found nothing.
type outcome struct {
	Answer  *Answer  `json:"answer,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
}

// A logLine is what a script has written by console.
type logLine struct {
	Level string `json:"level"` // debug, info, warn or error
	Text  string `json:"text"`
}

// maxLine is how many bytes a line may have, of both sides: the largest context, escaped
// at worst.
const maxLine = 64 << 20

var errLongLine = errors.New("a line is too long")

// readLine decodes the next line.
func readLine(in *bufio.Reader, into any) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return errLongLine
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return json.Unmarshal(line, into)
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// writeLine encodes a line: JSON in it stays as it is, but for whitespace.
func writeLine(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
