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
	var free *freeArgs
	for key, m := range args.Members() {
		if input.Property(key) != nil {
			continue
		}
		if free == nil {
			free = newFreeArgs(names, args.Has, input)
		}
		near := free.meant(key, p.helps())
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
			d.WithFix(fmt.Sprintf("did you mean %q?", near), args.RenameKey(fmt.Sprintf("rename to %q", near), key, near))
			continue
		}
		if p.helps() {
			d.Hint = "its arguments are " + diag.OneOf(names, 12)
		}
		d.Offer(m.Remove(fmt.Sprintf("remove %q", key)))
	}
	return misspelt
}

// freeArgs are the declared arguments that a call does not have.
type freeArgs struct {
	names    []string
	required []string          // those of them that it needs
	plain    map[string]string // the first of names by its plain form
}

func newFreeArgs(names []string, has func(name string) bool, input *schema.Node) *freeArgs {
	f := &freeArgs{plain: map[string]string{}}
	needed := map[string]bool{}
	for _, name := range input.Required() {
		needed[name] = true
	}
	for _, name := range names {
		if has(name) {
			continue
		}
		f.names = append(f.names, name)
		if needed[name] {
			f.required = append(f.required, name)
		}
		if _, taken := f.plain[plain(name)]; !taken {
			f.plain[plain(name)] = name
		}
	}
	return f
}

// meant finds the unused argument that was meant by an unknown one: another
// spelling, a near miss, or the only required one that is missing and goes by a
// similar word. Without helps, it does only what costs little.
func (f *freeArgs) meant(key string, helps bool) string {
	if name, ok := f.plain[plain(key)]; ok {
		return name
	}
	if helps {
		if near := diag.Closest(key, f.names); near != "" {
			return near
		}
	}
	if !helps && len(f.required) > maxHelped {
		return ""
	}
	for _, name := range f.required {
		if strings.Contains(plain(key), plain(name)) || strings.Contains(plain(name), plain(key)) {
			return name
		}
	}
	similar := ""
	for _, name := range f.required {
		if synonyms(key, name) {
			if similar != "" {
				return ""
			}
			similar = name
		}
	}
	return similar
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

// classIndexes returns the classes of a word, as indexes into wordClasses.
func classIndexes(word string) []int {
	var classes []int
	word = plain(word)
	for i, class := range wordClasses {
		if slices.Contains(class, word) {
			classes = append(classes, i)
		}
	}
	return classes
}

func synonyms(a, b string) bool {
	mine := classIndexes(a)
	return len(mine) > 0 && slices.ContainsFunc(classIndexes(b), func(i int) bool { return slices.Contains(mine, i) })
}
