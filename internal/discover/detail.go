package discover

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Detail says how much is shown of a node: [Brief] what one needs to write a call of
// it, [Full] the whole specification. Without one, it is brief for nodes that run.
// Those of knowledge packs are full: a signature does not describe how they are written.
type Detail string

// The values of [Detail].
const (
	Brief Detail = "brief"
	Full  Detail = "full"
)

func (d Detail) check() *diag.Fault {
	switch d {
	case "", Brief, Full:
		return nil
	}
	return diag.BadArgument("/detail", `detail is "brief" or "full"`, "unknown detail %q", string(d))
}

// full reports whether the whole specification of a node is shown.
func (d Detail) full(spec *specs.Spec) bool { return d == Full || d == "" && spec.NotRunnable }

// briefDescription is how many characters a brief description has at most.
const briefDescription = 160

// nodeDetails is what is shown of a node by its key, as far as it follows from its spec, and
// what is left out for its size.
func nodeDetails(spec *specs.Spec, seen *observed.Output, key detailKey) (d NodeDetails, leftOut []string) {
	spec = spec.Whole()
	if spec.NodeType == specs.Idiom {
		d = idiomDetails(spec, key.examples)
		leftOut = d.bound()
		return d, leftOut
	}
	if key.detail.full(spec) {
		d = fullDetails(spec, seen)
	} else {
		d, leftOut = briefDetails(spec, seen)
	}
	d.setRunnable(spec)
	d.Call = callOf(spec)
	if key.examples {
		d.Examples = spec.Examples
	}
	if key.schemas {
		d.InputPorts, d.OutputPorts = spec.InputPorts, spec.OutputPorts
	} else {
		d.withoutSchemas()
	}
	leftOut = append(leftOut, d.bound()...)
	return d, leftOut
}

// setRunnable says what cannot be run, or is not offered to be.
func (d *NodeDetails) setRunnable(spec *specs.Spec) {
	if d.Reason = spec.NotApproved; spec.NotRunnable || d.Reason != "" {
		no := false
		d.Runnable = &no
	}
	if spec.NodeType == specs.Idiom && d.Reason != "" {
		d.Hint = toAdapt(spec.ID())
	}
}

func wanted(asked *bool, full bool) bool {
	if asked == nil {
		return full
	}
	return *asked
}

// fullDetails is all that is known of a node but its examples.
func fullDetails(spec *specs.Spec, seen *observed.Output) NodeDetails {
	d := NodeDetails{
		ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Version: spec.Version, Title: spec.Title, Description: spec.Description,
		Category: spec.Category, Tags: spec.Tags, Source: spec.Source, Parameters: spec.Parameters, InputPorts: spec.InputPorts, OutputPorts: spec.OutputPorts,
		Skeleton: spec.Skeleton, Annotations: spec.Annotations, Observed: seen,
	}
	if len(spec.OutputSchema) > 0 || seen != nil {
		d.OutputType = strings.TrimPrefix(reply.OutputText(spec, seen), " -> ")
	}
	return d
}

// briefDetails is enough to write a call of a node.
func briefDetails(spec *specs.Spec, seen *observed.Output) (d NodeDetails, leftOut []string) {
	d = NodeDetails{
		ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype,
		Description: reply.FirstSentences(spec.Description, briefDescription), Skeleton: spec.Skeleton,
	}
	var more int
	if d.Signature, more = reply.TypedSignature(spec, seen); more > 0 {
		leftOut = []string{fmt.Sprintf("%d parameters of %s", more, d.ID)}
	}
	return d, leftOut
}

// callOf is a call of a tool or a saved graph in the code of a function, with what it has
// to be given; "" of another node.
func callOf(spec *specs.Spec) string {
	callee, ok := "graphs"+member(spec.Subtype), spec.NodeType == specs.Graph && spec.Subtype != ""
	if server, tool, named := strings.Cut(spec.Subtype, "/"); named && spec.NodeType == specs.MCP {
		callee, ok = "tools"+member(server)+member(tool), true
	}
	if !ok {
		return ""
	}
	var args []string
	for _, p := range spec.Parameters {
		switch {
		case p.Required && word.MatchString(p.Name):
			args = append(args, p.Name)
		case p.Required:
			args = append(args, strconv.Quote(p.Name)+": value")
		}
	}
	return "await " + callee + "({" + strings.Join(args, ", ") + "})"
}

var word = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// member is how JavaScript reads a field.
func member(name string) string {
	if word.MatchString(name) {
		return "." + name
	}
	return "[" + strconv.Quote(name) + "]"
}
