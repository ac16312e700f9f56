package packs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A packFile is one file as JSON, with the place of every value.
type packFile struct {
	name   string
	data   any // nil when it cannot be read
	places map[string]place
	found  []finding
}

type place struct{ line, column int }

// A finding is a [Finding] before it is placed.
type finding struct {
	file, path, code, message, hint string
	warning                         bool
	at                              place // where no path leads
}

func (f *packFile) fail(path, code, message, hint string) {
	f.found = append(f.found, finding{file: f.name, path: path, code: code, message: message, hint: hint})
}

// readPackFile reads a file of one YAML or JSON document into JSON's data model:
// what YAML has beyond it is an error.
func readPackFile(fsys fs.FS, name string) *packFile {
	f := &packFile{name: name, places: map[string]place{}}
	data, err := readLimited(fsys, name)
	if err != nil {
		f.fail("", "unreadable-file", err.Error(), "")
		return f
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			f.fail("", "empty-file", "the file is empty", `write a node, or {nodes: […]}`)
			return f
		}
		f.found = append(f.found, finding{file: name, code: "bad-yaml", message: "not valid YAML: " + yamlMessage(err), at: place{yamlLine(err), 1}})
		return f
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		f.fail("", "second-document", "the file has more than one YAML document", "put several nodes under nodes:")
		return f
	}
	if len(doc.Content) == 1 {
		f.data = f.value(doc.Content[0], "", 0)
	}
	return f
}

func readLimited(fsys fs.FS, name string) ([]byte, error) {
	r, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(r, maxPackFile+1))
	if err == nil && len(data) > maxPackFile {
		err = fmt.Errorf("the file is larger than %d MB", maxPackFile>>20)
	}
	return data, err
}

var yamlPosition = regexp.MustCompile(`line (\d+)`)

func yamlLine(err error) int {
	if m := yamlPosition.FindStringSubmatch(err.Error()); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 1
}

func yamlMessage(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: ")
}

// maxDepth bounds nesting; no node needs a tenth of it.
const maxDepth = 200

// value is a YAML node as encoding/json would decode it, numbers as written.
func (f *packFile) value(n *yaml.Node, path string, depth int) any {
	if _, placed := f.places[path]; !placed {
		f.places[path] = place{n.Line, n.Column}
	}
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		f.fail(path, "not-json", "anchors and aliases are not part of JSON's data model", "write the value out")
		return nil
	}
	if depth > maxDepth {
		f.fail(path, "too-deep", fmt.Sprintf("the file nests deeper than %d levels", maxDepth), "")
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			at := path + "/" + diag.EscapePointer(key.Value)
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				f.fail(path, "not-json", "a key must be a plain string", "")
				continue
			}
			if _, twice := m[key.Value]; twice {
				f.found = append(f.found, finding{file: f.name, path: at, code: "duplicate-key", message: fmt.Sprintf("key %q is given twice", key.Value), at: place{key.Line, key.Column}})
				continue
			}
			f.places[at] = place{key.Line, key.Column}
			m[key.Value] = f.value(n.Content[i+1], at, depth+1)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for i, c := range n.Content {
			list = append(list, f.value(c, path+"/"+strconv.Itoa(i), depth+1))
		}
		return list
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil
}

// scalar is a number, boolean or null where JSON would read one, and otherwise a
// string: dates and YAML's other spellings of numbers are strings.
func scalar(n *yaml.Node) any {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var num json.Number
		if json.Unmarshal([]byte(n.Value), &num) == nil {
			return num
		}
	}
	return n.Value
}

// place is where a pointer leads, or the nearest place above it.
func (f *packFile) place(path string) place {
	for {
		if p, ok := f.places[path]; ok {
			return p
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return place{}
		}
		path = path[:i]
	}
}
