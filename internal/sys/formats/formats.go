// Package formats numbers the formats of the files that Patchbay keeps, so that a program
// upgrades those of earlier versions and refuses those of later ones. It knows nothing of
// what is in them.
package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A Format is that of one sort of file.
type Format struct {
	Name    string // one word, the key in "patchbay version -o json"
	Version int    // that this program writes; it reads this one and all before it
	Of      string // what is in such a file
}

// The formats. A change that an earlier program would misread is a new number; a member or
// a column that it may ignore is not.
var (
	Journal     = Format{"journal", 3, "runs and the state of graphs"}
	Tools       = Format{"tools", 1, "lists of tools of servers, in the cache"}
	Learned     = Format{"learned", 2, "learned result types, in the cache"}
	Vectors     = Format{"vectors", 1, "embeddings of nodes, in the cache"}
	ToolPins    = Format{"toolPins", 2, "pinned tools of servers"}
	Approvals   = Format{"approvals", 1, "saved graphs that people and agents have saved or approved"}
	Permissions = Format{"permissions", 1, "calls of tools that people have permitted"}
	GraphPins   = Format{"graphPins", 2, "pinned tools of saved graphs"}
	Origins     = Format{"origins", 1, "where saved graphs were taken from"}
	Trust       = Format{"trust", 2, "trusted files"}
	Tokens      = Format{"tokens", 2, "tokens of clients over HTTP"}
	Logins      = Format{"logins", 2, "logins at servers"}
)

// All are the formats, in the order in which people read them.
func All() []Format {
	return []Format{Journal, Tools, Learned, Vectors, ToolPins, GraphPins, Approvals, Permissions, Origins, Trust, Tokens, Logins}
}

// A NewerError is that of a file whose format this program does not know yet.
type NewerError struct {
	Format Format
	Found  int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("a newer version of patchbay wrote it (format %d, this program reads up to %d): %s", e.Found, e.Format.Version, Hint)
}

// Hint says what to do about a file of a newer format.
const Hint = "install that version of patchbay or a later one, or move the file away"

// A content is what a JSON file has around its value from format 2 on.
type content struct {
	Format  int `json:"format"`
	Content any `json:"content"`
}

// Wrap returns what to write as JSON for a value: the value with the number of the format.
func (f Format) Wrap(value any) any { return content{f.Version, value} }

// Decode reads what [Format.Wrap] wraps into value. A file of format 1 is the value by
// itself. One of a newer format is a [*NewerError].
func (f Format) Decode(data []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	number, ok := numbered(d)
	switch {
	case !ok:
		return json.Unmarshal(data, value)
	case number > f.Version:
		return &NewerError{f, number}
	}
	if key, err := d.Token(); err != nil || key != "content" {
		return fmt.Errorf("it has no content after its format: %w", err)
	}
	return d.Decode(value)
}

// numbered reads the beginning of a file that has a number.
func numbered(d *json.Decoder) (number int, ok bool) {
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return 0, false
	}
	if key, err := d.Token(); err != nil || key != "format" {
		return 0, false
	}
	return number, d.Decode(&number) == nil
}
