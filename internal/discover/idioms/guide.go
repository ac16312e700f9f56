package idioms

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Section is a part of the guide that can be read by itself. The first part, which
// every agent reads, is [Instructions].
type Section struct {
	Name    string   `yaml:"-"`
	Title   string   `yaml:"title"`
	Summary string   `yaml:"summary"` // one line
	Apart   bool     `yaml:"apart"`   // the guide only names it
	Intents []string `yaml:"intents"`
	Text    string   `yaml:"-"` // Markdown
}

// GuideName is the subtype of the guide; its sections are "guide/<name>".
const GuideName = "guide"

// A Guide says how to author graphs, to models and people.
type Guide struct{ sections []*Section }

// NewGuide returns the guide. What it says of the program comes from the program: the
// generated texts take the places of their names in double braces. Without one, the place
// is left empty.
func NewGuide(generated map[string]string) *Guide {
	g := &Guide{}
	for _, name := range files(GuideName) {
		_, own, _ := strings.Cut(path.Base(name), "-") // the number before it is the order
		s := &Section{Name: strings.TrimSuffix(own, path.Ext(own))}
		head, text, found := strings.Cut(strings.TrimPrefix(string(read(name)), "---\n"), "\n---\n")
		if !found {
			panic("idioms: " + name + " has no head")
		}
		decode(name, []byte(head), s)
		text = place.ReplaceAllStringFunc(text, func(name string) string { return strings.TrimSpace(generated[name[2:len(name)-2]]) })
		s.Text = strings.TrimSpace(text) + "\n"
		g.sections = append(g.sections, s)
	}
	g.sections = append(g.sections, patternsSection())
	return g
}

// place is where a generated text comes.
var place = regexp.MustCompile(`\{\{[a-z]+\}\}`)

// Places returns the names of the texts that the guide expects to be generated.
func Places() []string {
	var names []string
	for _, name := range files(GuideName) {
		for _, found := range place.FindAllString(string(read(name)), -1) {
			names = append(names, found[2:len(found)-2])
		}
	}
	return names
}

// Sections returns the sections in the order in which they are read.
func (g *Guide) Sections() []*Section { return g.sections }

// patternsSection lists the idioms.
func patternsSection() *Section {
	s := &Section{
		Name: "idioms", Title: "Idioms", Summary: "patterns with a graph to copy", Apart: true,
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

// Text returns the guide as Markdown: the instructions, the sections that every author
// needs, and the names of the others.
func (g *Guide) Text() string {
	return "# How to author a graph\n\n## In short\n" + Instructions() + g.text(false) +
		"\n## More\nget_node_details of idiom:guide/limits shows the section limits, and so on:\n\n" + g.names()
}

// Whole returns [Guide.Text] and after it the sections that it names.
func (g *Guide) Whole() string { return g.Text() + g.text(true) }

// text is the sections in a row.
func (g *Guide) text(apart bool) string {
	var b strings.Builder
	for _, s := range g.sections {
		if s.Apart == apart {
			fmt.Fprintf(&b, "\n## %s\n%s", s.Title, s.Text)
		}
	}
	return b.String()
}

// names lists the sections that are apart.
func (g *Guide) names() string {
	var b strings.Builder
	for _, s := range g.sections {
		if s.Apart {
			fmt.Fprintf(&b, "- %s: %s\n", s.Name, s.Summary)
		}
	}
	return b.String()
}

// Specs returns the guide and its sections as nodes of the catalog. That of the guide has
// what search is to find it by: its text is [Guide.Text].
func (g *Guide) Specs() []*specs.Spec {
	list := lists.Each(g.sections, func(s *Section) *specs.Spec {
		return guideSpec(GuideName+"/"+s.Name, s.Title, s.Summary+"\n\n"+s.Text, s.Intents)
	})
	return append(list, guideSpec(GuideName, "Guide", "How to author a graph.\n\n"+Instructions()+"\nSections:\n"+g.names(), []string{
		"patchbay guide", "how to author a graph", "getting started with graphs", "how to use patchbay",
	}))
}

func guideSpec(subtype, title, text string, intents []string) *specs.Spec {
	return &specs.Spec{NodeType: specs.Idiom, Subtype: subtype, Title: title, Description: text, Intents: intents, Category: "idiom", Source: "built-in", Version: "1", NotRunnable: true}
}
