package openapi

import (
	"path"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
)

// maxName is the length of the longest name of an argument or a definition.
const maxName = 64

// sanitized is the nearest text of letters, digits, _ and what else is allowed, of at most 64
// characters.
func sanitized(text, also string) string {
	s := legal(text, also)
	if s = s[:min(len(s), maxName)]; !strings.HasSuffix(text, "_") {
		s = strings.TrimRight(s, "_")
	}
	return s
}

// legal is the nearest text of letters, digits, _ and what else is allowed.
func legal(text, also string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(also, r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"), r == '_':
			b.WriteByte('_')
		}
	}
	if strings.HasSuffix(text, "_") {
		return b.String()
	}
	return strings.TrimRight(b.String(), "_")
}

// toolName is an operation's name: that of its document, or its method and path. It does not
// depend on other operations.
func toolName(prefix string, op *operation) string {
	name := legal(op.id, "-")
	if name == "" {
		name = strings.TrimRight(strings.ToLower(op.method)+"_"+legal(op.path, "-"), "_")
	}
	if prefix != "" {
		name = prefix + "_" + name
	}
	return listing.Name(name)
}

// nameAll names the tools. Of operations with one name the first has it, and the others get a
// hash of method and path: later ones change no name.
func (a *api) nameAll(operations []*operation) {
	for _, op := range operations {
		if op.name != toolName(a.options.Prefix, op) {
			a.note("%s is the tool %s, because another operation has its name", op.endpoint(), op.name)
		}
		var renamed bool
		if op.name, renamed = a.names.Take(op.name); renamed {
			a.note("%s is the tool %s, because another document has its name: set prefix", op.endpoint(), op.name)
		}
	}
}

// operators are the comparisons that end the names of parameters, and how arguments write them.
var operators = strings.NewReplacer("<=", "_lte", ">=", "_gte", "!=", "_ne", "<", "_lt", ">", "_gt", "!", "_not", "~", "_like")

// A selector chooses operations.
type selector struct {
	tag, method, path, id string // what is empty chooses all
}

func selectors(texts []string) ([]selector, error) {
	var list []selector
	for _, text := range texts {
		s, err := parseSelector(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func parseSelector(text string) (selector, error) {
	var s selector
	if tag, ok := strings.CutPrefix(text, "tag:"); ok {
		s.tag = strings.TrimSpace(tag)
		return s, nil
	}
	first, rest, _ := strings.Cut(text, " ")
	for _, m := range methods {
		if strings.EqualFold(first, m) && (rest != "" || first == strings.ToUpper(first)) {
			s.method, text = strings.ToUpper(m), strings.TrimSpace(rest)
		}
	}
	if strings.HasPrefix(text, "/") {
		s.path = text
	} else {
		s.id = text
	}
	if _, err := path.Match(text, ""); err != nil || text == "" && s.method == "" {
		return s, &selectorError{text}
	}
	return s, nil
}

type selectorError struct{ text string }

func (e *selectorError) Error() string {
	return diag.Quote(e.text) + ` does not choose operations: write tag:NAME, a method, a path such as /pets/**, both, or an operationId`
}

func (s selector) matches(op *operation) bool {
	if s.tag != "" {
		return slices.Contains(op.tags, s.tag)
	}
	if s.method != "" && s.method != op.method {
		return false
	}
	if s.path != "" {
		return pathMatches(strings.Split(s.path, "/"), strings.Split(op.path, "/"))
	}
	if s.id == "" {
		return true
	}
	name := op.id
	if name == "" {
		name = toolName("", op)
	}
	ok, _ := path.Match(s.id, name)
	return ok
}

// pathMatches compares a pattern with a path, segment by segment; ** is any number of
// them.
func pathMatches(pattern, segments []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for skip := i; skip <= len(segments); skip++ {
				if pathMatches(pattern[i+1:], segments[skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(segments) {
			return false
		}
		if ok, _ := path.Match(p, segments[i]); !ok && p != segments[i] {
			return false
		}
	}
	return len(pattern) == len(segments)
}
