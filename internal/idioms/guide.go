package idioms

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Section is a part of the guide that can be read by itself. The first part, which
// every agent reads, is [Instructions].
type Section struct {
	Name    string   `yaml:"-"`
	Title   string   `yaml:"title"`
	Summary string   `yaml:"summary"` // one line
	Intents []string `yaml:"intents"`
	Text    string   `yaml:"-"` // Markdown
}

// guide is the subtype of the guide; its sections are "guide/<name>".
const guide = "guide"

// Sections returns the sections of the guide in the order in which they are read.
func Sections() []*Section { return sections() }

var sections = sync.OnceValue(func() []*Section {
	var list []*Section
	for _, name := range files(guide) {
		_, own, _ := strings.Cut(path.Base(name), "-") // the number before it is the order
		s := &Section{Name: strings.TrimSuffix(own, path.Ext(own))}
		head, text, found := strings.Cut(strings.TrimPrefix(string(read(name)), "---\n"), "\n---\n")
		if !found {
			panic("idioms: " + name + " has no head")
		}
		decode(name, []byte(head), s)
		s.Text = strings.TrimSpace(text) + "\n"
		list = append(list, s)
	}
	return append(list, patternsSection())
})

// patternsSection lists the idioms.
func patternsSection() *Section {
	s := &Section{
		Name: "idioms", Title: "Idioms", Summary: "patterns with a graph to copy",
		Intents: []string{"list of idioms", "patterns to copy", "common patterns of graphs", "cookbook of recipes for graphs"},
	}
	var b strings.Builder
	b.WriteString("`search_nodes` finds patterns in the words of a question (how do I …), and `get_node_details {nodes: [{id}]}` shows a graph to copy. So it does for your saved graphs, with `type_filter: idiom`.\n\n")
	for _, i := range All() {
		fmt.Fprintf(&b, "- `idiom:%s` %s\n", i.Name, i.Title)
	}
	s.Text = b.String()
	return s
}

// Instructions returns the first part of the guide, a few lines that end with a line
// feed: the order of work, which a server tells its client when a session begins.
func Instructions() string { return instructions() }

var instructions = sync.OnceValue(func() string { return string(read("instructions.md")) })

// Guide returns how to author graphs, for models and people, as Markdown: the
// instructions and all sections in a row.
func Guide() string { return wholeGuide() }

var wholeGuide = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("# How to author a graph\n\n## In short\n" + Instructions())
	for _, s := range Sections() {
		fmt.Fprintf(&b, "\n## %s\n%s", s.Title, s.Text)
	}
	return b.String()
})

// guideSpecs are the guide, which has the instructions and lists its sections, and each
// section.
func guideSpecs() []*specs.Spec {
	var list []*specs.Spec
	var b strings.Builder
	b.WriteString("How to author a graph.\n\n" + Instructions() + "\nSections:")
	for _, s := range Sections() {
		fmt.Fprintf(&b, "\n%s:%s/%s: %s", specs.Idiom, guide, s.Name, s.Summary)
		list = append(list, guideSpec(guide+"/"+s.Name, s.Title, s.Summary+"\n\n"+s.Text, s.Intents))
	}
	return append(list, guideSpec(guide, "Guide", b.String(), []string{
		"patchbay guide", "how to author a graph", "getting started with graphs", "how to use patchbay",
	}))
}

func guideSpec(subtype, title, text string, intents []string) *specs.Spec {
	return &specs.Spec{NodeType: specs.Idiom, Subtype: subtype, Title: title, Description: text, Intents: intents, Category: "idiom", Source: "built-in", Version: "1", NotRunnable: true}
}
