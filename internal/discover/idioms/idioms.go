// Package idioms is what authors of graphs ask for that is not a node: how to loop,
// how to catch an error, how to read all pages. Each idiom is one file with a
// paragraph, a graph to copy, the phrases people type, and how a test runs it. The
// guide is part of it: what a server tells every agent first, and sections.
//
// It holds texts and turns them into specs for the catalog. It compiles and runs
// nothing.
package idioms

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/specs"
)

//go:embed instructions.md patterns/*.yaml guide/*.md
var texts embed.FS

// An Idiom is a pattern of nodes with a graph to copy.
type Idiom struct {
	Name    string   `yaml:"-"` // the subtype in the catalog
	Title   string   `yaml:"title"`
	Text    string   `yaml:"text"` // one paragraph
	Intents []string `yaml:"intents"`
	Graph   string   `yaml:"graph"` // YAML, at most MaxLines lines

	// How a test runs the graph, and what comes out.
	Tool      string                     `yaml:"tool"` // of a document with several
	Arguments map[string]any             `yaml:"arguments"`
	Result    any                        `yaml:"result"`
	Pins      map[string]any             `yaml:"pins"`    // outputs of nodes that are given
	Files     map[string]string          `yaml:"files"`   // in the workspace
	Servers   map[string]map[string]Tool `yaml:"servers"` // that the graph calls, and their tools
}

// MaxLines is how many lines the graph of an idiom may have.
const MaxLines = 12

// A Tool stands for one of a server in the tests of an idiom.
type Tool struct {
	Input  any    `yaml:"input"`  // JSON Schema
	Output any    `yaml:"output"` // JSON Schema; nil where the tool does not say
	Reply  string `yaml:"reply"`  // JSONata over the arguments
}

// All returns the idioms, sorted by name.
func All() []*Idiom { return all() }

var all = sync.OnceValue(func() []*Idiom {
	var list []*Idiom
	for _, name := range files("patterns") {
		i := &Idiom{Name: strings.TrimSuffix(path.Base(name), path.Ext(name))}
		decode(name, read(name), i)
		i.Text = strings.TrimSpace(i.Text)
		list = append(list, i)
	}
	return list
})

// Specs returns the idioms as nodes of the catalog.
func Specs() []*specs.Spec {
	var list []*specs.Spec
	for _, i := range All() {
		list = append(list, &specs.Spec{
			NodeType: specs.Idiom, Subtype: i.Name, Title: i.Title, Description: i.Text, Intents: i.Intents, Category: "idiom", Source: "built-in", Version: "1", NotRunnable: true,
			Examples: []specs.Example{{Title: i.Title, Graph: i.Graph, Arguments: encoded(i.Arguments), Result: encoded(i.Result), Pins: i.pins()}},
		})
	}
	return list
}

func (i *Idiom) pins() map[string]json.RawMessage {
	if len(i.Pins) == 0 {
		return nil
	}
	pins := map[string]json.RawMessage{}
	for id, output := range i.Pins {
		pins[id] = encoded(output)
	}
	return pins
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("idioms: " + err.Error()) // our own texts, which a test reads
	}
	return b
}

func decode(name string, text []byte, into any) {
	if err := yaml.Load(text, into, yaml.WithKnownFields()); err != nil {
		panic(fmt.Sprintf("idioms: %s: %v", name, err))
	}
}

func files(dir string) []string {
	entries, err := texts.ReadDir(dir)
	if err != nil {
		panic("idioms: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, dir+"/"+e.Name())
	}
	return names
}

func read(name string) []byte {
	text, err := texts.ReadFile(name)
	if err != nil {
		panic("idioms: " + err.Error())
	}
	return text
}
