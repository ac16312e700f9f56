package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
)

// unknownArgs reports arguments that the tool does not declare, and returns the
// declared ones that were meant.
func (p *Pass) unknownArgs(n *Node, tool *Tool) map[string]bool {
	input := tool.Input.Root()
	names, closed := input.PropertyNames(), input.Closed()
	misspelt := map[string]bool{}
	if input.Get("patternProperties").Len() > 0 || len(names) == 0 && !closed {
		return misspelt
	}
	args := n.Field("args")
	var free []string
	for _, name := range names {
		if !args.Get(name).Exists() {
			free = append(free, name)
		}
	}
	for _, key := range args.Keys() {
		if input.Property(key) != nil {
			continue
		}
		near := p.meantArg(key, free, input)
		if near == "" && !closed && input.Get("additionalProperties") != nil {
			continue
		}
		rule := ruleUnknownArg
		if near == "" && !closed {
			rule = ruleUndeclaredArg
		}
		d := p.Report(rule, args.Key(key), n, "%s/%s has no argument %q", n.callee.server, n.callee.tool, key)
		if near != "" {
			misspelt[near] = true
			d.Hint = fmt.Sprintf("did you mean %q?", near)
			d.Fixes = []diag.Fix{args.RenameKey(fmt.Sprintf("rename to %q", near), key, near)}
			continue
		}
		d.Hint = "its arguments are " + diag.OneOf(names, 12)
		d.Fixes = []diag.Fix{args.Get(key).Remove(fmt.Sprintf("remove %q", key))}
	}
	return misspelt
}

// meantArg finds the unused argument that was meant by an unknown one: a near miss,
// another spelling, or the only required one that is missing and goes by a
// similar word.
func (p *Pass) meantArg(key string, free []string, input *schema.Node) string {
	for _, name := range free {
		if sameName(name, key) {
			return name
		}
	}
	if near := p.closest(key, free); near != "" {
		return near
	}
	var missing []string
	for _, name := range free {
		if input.Requires(name) {
			missing = append(missing, name)
		}
	}
	for _, name := range missing {
		if strings.Contains(plain(key), plain(name)) || strings.Contains(plain(name), plain(key)) {
			return name
		}
	}
	similar := slices.DeleteFunc(missing, func(name string) bool { return !synonyms(key, name) })
	if len(similar) == 1 {
		return similar[0]
	}
	return ""
}

// wordClasses are names that different tools give the same argument.
var wordClasses = [][]string{
	{"path", "directory", "dir", "folder", "file", "filename", "filepath", "location"},
	{"query", "q", "search", "text", "term", "keyword", "keywords"},
	{"url", "uri", "link", "href", "address", "endpoint"},
	{"message", "text", "content", "body", "msg", "prompt", "input"},
	{"id", "identifier", "key", "uid", "uuid"},
	{"name", "title", "label"},
	{"limit", "count", "max", "size", "n", "top"},
}

func synonyms(a, b string) bool {
	for _, class := range wordClasses {
		if slices.Contains(class, plain(a)) && slices.Contains(class, plain(b)) {
			return true
		}
	}
	return false
}
