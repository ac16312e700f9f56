// Package graphdata writes graph documents of any size, with and without faults.
// Only tests and benchmarks import it.
package graphdata

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// A Family is documents of one shape and any size.
type Family struct {
	Name   string
	Faulty bool // the checker finds errors in them
	// fill writes about n nodes, or fewer nodes with n parts.
	fill func(d *document, n int)
}

// JSON returns a document of about n nodes as JSON, one node a line.
func (f *Family) JSON(n int) string { return string(f.write(n)) }

// YAML returns a document of about n nodes as YAML.
func (f *Family) YAML(n int) string { return string(graph.Encode(json.RawMessage(f.write(n)))) }

func (f *Family) write(n int) []byte {
	d := &document{}
	f.fill(d, n)
	return d.text()
}

// Named returns the family of a name, nil if there is none.
func Named(name string) *Family {
	for i := range Families {
		if Families[i].Name == name {
			return &Families[i]
		}
	}
	return nil
}

// A document is one that is being written.
type document struct {
	input  string // the inputSchema, "" for none
	output string
	lines  []string // a node each
	tools  []string // the tools before, if the document has several
}

// node adds a node; values of the arguments are put into format as JSON.
func (d *document) node(format string, args ...any) {
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		args[i] = string(b)
	}
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// transform adds a transform of an expression.
func (d *document) transform(id, source, next string) {
	d.node(`{"id":%s,"type":"transform","transform":{"expr":%s},"next":%s}`, id, source, next)
}

func (d *document) entry(next string) { d.node(`{"id":"entry","type":"entry","next":%s}`, next) }

func (d *document) exit() { d.node(`{"id":"exit","type":"exit"}`) }

// tool ends the tool that is being written; another may follow.
func (d *document) tool(name string) {
	d.tools = append(d.tools, fmt.Sprintf(`{"name":%q,"description":"one of many","nodes":[%s]}`, name, strings.Join(d.lines, ",\n")))
	d.lines = nil
}

func (d *document) text() []byte {
	if len(d.tools) > 0 {
		return []byte(`{"version":"1.0","tools":[` + strings.Join(d.tools, ",\n") + `]}`)
	}
	var head string
	if d.input != "" {
		head += `"inputSchema":` + d.input + ","
	}
	if d.output != "" {
		head += `"outputSchema":` + d.output + ","
	}
	return []byte(`{"name":"large","description":"A large graph",` + head + "\"nodes\":[\n" + strings.Join(d.lines, ",\n") + "\n]}\n")
}

// id is the id of the nth node of a graph of n; behind the last is the exit.
func id(i, n int) string {
	if i >= n {
		return "exit"
	}
	return fmt.Sprintf("n%d", i)
}
