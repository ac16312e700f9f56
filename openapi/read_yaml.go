package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
)

// depthLimit makes the library stop at our limit instead of its own. Aliases are
// counted here, by the values they stand for.
type depthLimit struct{}

func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return errDeep
	}
	return nil
}

func (depthLimit) CheckAlias(int, int) error { return nil }

// A yamlReader builds nodes of the library's.
type yamlReader struct {
	file  *file
	nodes int
	open  map[*yaml.Node]bool // the anchors whose aliases are being read
}

func (f *file) readYAML(text []byte) (*node, error) {
	if bytes.HasPrefix(text, []byte("%YAML 1.")) { // the library takes 1.1 alone, and reads 1.2
		text = append([]byte{'#'}, text[1:]...)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithPlugin(depthLimit{}))
	var doc yaml.Node
	if err == nil {
		err = loader.Load(&doc)
	}
	switch {
	case errors.Is(err, errDeep) || err != nil && strings.Contains(err.Error(), errDeep.Error()):
		return nil, errDeep
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return nil, errors.New("it is empty")
	case err != nil:
		return nil, yamlFault(err)
	}
	r := &yamlReader{file: f, open: map[*yaml.Node]bool{}}
	return r.value(doc.Content[0], 1)
}

// yamlFault says where YAML is wrong.
func yamlFault(err error) error {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok || e.Mark.Line == 0 {
		return fmt.Errorf("it is not valid YAML: %w", err)
	}
	return fmt.Errorf("line %d, column %d: it is not valid YAML: %s", e.Mark.Line, max(e.Mark.Column, 1), diag.OneLine(e.Message))
}

func (r *yamlReader) value(y *yaml.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if r.nodes++; r.nodes > maxNodes {
		return nil, errMany
	}
	n := &node{line: int32(y.Line)}
	switch y.Kind {
	case yaml.AliasNode:
		if y.Alias == nil || r.open[y.Alias] {
			return nil, fmt.Errorf("line %d: the alias *%s contains itself", y.Line, y.Value)
		}
		r.open[y.Alias] = true
		defer delete(r.open, y.Alias)
		return r.value(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.kind, n.file = '[', r.file
		for _, c := range y.Content {
			v, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{value: v})
		}
	case yaml.MappingNode:
		n.kind, n.file = '{', r.file
		return n, r.mapping(n, y, depth)
	default:
		if n.kind, n.text = scalar(y); n.kind == '0' {
			return n, checkNumber(n)
		}
	}
	return n, nil
}

// mapping reads the members of a map. Those of a merge key take effect where the map
// has none of their names.
func (r *yamlReader) mapping(n *node, y *yaml.Node, depth int) error {
	n.members = make([]member, 0, len(y.Content)/2)
	var merged []*node
	seen := make(map[string]bool, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is not a string", key.Line)
		}
		v, err := r.value(y.Content[i+1], depth+1)
		merge := key.Value == "<<" && key.Style == 0
		switch {
		case err != nil:
			return err
		case seen[key.Value] && !merge && slices.ContainsFunc(n.members, func(m member) bool { return m.name == key.Value && equal(m.value, v) }):
			// it changes nothing
		case seen[key.Value] && !merge:
			return fmt.Errorf("line %d: the key %s is there twice", key.Line, diag.Quote(key.Value))
		case merge:
			merged = append(merged, v)
			for item := range v.items() {
				merged = append(merged, item)
			}
		default:
			n.members = append(n.members, member{key.Value, v})
			seen[key.Value] = true
		}
	}
	for _, from := range merged {
		for name, v := range from.fields() {
			if !seen[name] {
				n.members = append(n.members, member{name, v})
				seen[name] = true
			}
		}
	}
	return nil
}

// scalar reads a scalar by YAML's core schema. A number keeps its digits; what is a
// number for YAML alone becomes one of JSON, and infinity a string.
func scalar(y *yaml.Node) (byte, string) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if y.Style&quoted != 0 || y.Style&yaml.TaggedStyle != 0 && y.ShortTag() == "!!str" {
		return '"', y.Value
	}
	switch y.Value {
	case "", "~", "null", "Null", "NULL":
		return 'n', ""
	case "true", "True", "TRUE":
		return 't', ""
	case "false", "False", "FALSE":
		return 'f', ""
	}
	first := y.Value[0]
	if first != '-' && first != '+' && first != '.' && (first < '0' || first > '9') {
		return '"', y.Value
	}
	if isNumber(y.Value) {
		return '0', y.Value
	}
	text := strings.TrimPrefix(y.Value, "+")
	if text != "" && text[0] == '.' {
		text = "0" + text
	}
	if text = strings.Replace(text, "-.", "-0.", 1); isNumber(text) {
		return '0', text
	}
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		if v, err := strconv.ParseUint(text, 0, 64); err == nil {
			return '0', strconv.FormatUint(v, 10)
		}
	}
	return '"', y.Value
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}
