// Package specs is node knowledge as data: what a node is called, what it
// takes, what it gives, and how it is used. Built-in kinds, downstream tools,
// saved graphs and knowledge packs all become a [Spec]; search, the catalog and
// the checker read nothing else.
//
// It imports nothing of ours.
package specs

import (
	"encoding/json"
	"strings"
)

// The node types whose specs have a subtype: the first part of their ids in the
// catalog.
const (
	MCP   = "mcp"   // a downstream tool, "<server>/<tool>"
	Graph = "graph" // a saved graph, by its name
	Idiom = "idiom" // a pattern to copy, or a section of the guide; never a node of a graph
)

// A Spec describes one node of the catalog. It is immutable once published.
type Spec struct {
	NodeType    string   // what a graph node's "type" says: mcp, transform, graph, …
	Subtype     string   // the variant: "<server>/<tool>", a saved graph's name, or ""
	Version     string   // of the knowledge: a kind's or a saved graph's revision, a tool's definition hash
	Title       string   // for people; may be empty
	Description string   // what it does, as its author wrote it
	Category    string   // built-in, tool, graph or a pack's own
	Tags        []string // free words
	Intents     []string // phrases people use when they want this node
	Aliases     []string // other names of the node
	Source      string   // who says so: built-in, server:<name>, graphs, pack:<name>

	Parameters  []Parameter // what an author writes
	InputPorts  []Port
	OutputPorts []Port

	InputSchema  json.RawMessage // of a tool's or saved graph's arguments; nil otherwise
	OutputSchema json.RawMessage // of the output; nil when unknown

	Skeleton    json.RawMessage // a ready graph node with every required argument
	Examples    []Example
	Annotations *Annotations

	Starts      bool // a graph begins with it, so no node leads to it
	Ends        bool // a graph ends with it, so it leads to no node
	NotRunnable bool // knowledge only: a node of another system, or an idiom

	NotApproved string // why a saved graph is not offered to be run; "" if it is

	// Derive adds what is not kept because it follows from the rest: a tool's
	// ports, skeleton and examples would be half of a large catalog. Nil when the
	// spec is whole. [Spec.Whole] calls it.
	Derive func(*Spec)
}

// Whole is the spec with its ports, skeleton and examples.
func (s *Spec) Whole() *Spec {
	if s.Derive == nil {
		return s
	}
	whole := *s
	whole.Derive = nil
	s.Derive(&whole)
	return &whole
}

// ID joins the type and subtype as people and logs write them:
// "mcp:filesystem/list_directory", "transform".
func (s *Spec) ID() string {
	if s.Subtype == "" {
		return s.NodeType
	}
	return s.NodeType + ":" + s.Subtype
}

// Server is the downstream server of an mcp spec, or "".
func (s *Spec) Server() string {
	if s.NodeType != MCP {
		return ""
	}
	server, _, _ := strings.Cut(s.Subtype, "/")
	return server
}

// Tool is the tool's name at its server, the saved graph's name, or "".
func (s *Spec) Tool() string {
	if _, tool, ok := strings.Cut(s.Subtype, "/"); ok && s.NodeType == MCP {
		return tool
	}
	return s.Subtype
}

// A Parameter is one value an author gives a node.
type Parameter struct {
	Name              string `json:"name"`
	Type              string `json:"type"` // one of [ParameterTypes], or several of JSON's joined by "|"
	Required          bool   `json:"required"`
	DefaultValue      any    `json:"default_value,omitempty"`
	Description       string `json:"description,omitempty"`
	EnumValues        []any  `json:"enum_values,omitempty"`
	ValidationPattern string `json:"validation_pattern,omitempty"`
}

// A Port is where a node is connected to others.
type Port struct {
	Name             string          `json:"name"`
	Type             string          `json:"type"`
	Required         bool            `json:"required"`
	Description      string          `json:"description,omitempty"`
	MaxConnections   int             `json:"max_connections,omitempty"` // 0 is unlimited
	DataFormat       *DataFormat     `json:"data_format,omitempty"`
	ValidationSchema json.RawMessage `json:"validation_schema,omitempty"`
}

// DataFormat says what travels through a port.
type DataFormat struct {
	MimeType string            `json:"mime_type"`
	Schema   json.RawMessage   `json:"schema,omitempty"`
	Examples []json.RawMessage `json:"examples,omitempty"`
}

// An Example is a whole graph that validates, with arguments it runs on. Of a
// node that cannot be run it is the values of the node's parameters instead.
type Example struct {
	Title      string          `json:"title"`
	Graph      string          `json:"graph,omitempty"` // YAML
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"`
	// Pins are outputs given instead of computed, by node id: what a person or a
	// server would answer.
	Pins map[string]json.RawMessage `json:"pins,omitempty"`
}

// Annotations are MCP's tool hints. A nil hint is absent, and absent means the
// cautious value: not read-only, destructive, not idempotent, open world.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
	Trusted     bool  `json:"trusted"` // the operator trusts the server's own word
}

// IsReadOnly reports whether the node is known, by trusted hints, to change nothing.
func (a *Annotations) IsReadOnly() bool {
	return a != nil && a.Trusted && a.ReadOnly != nil && *a.ReadOnly
}

// MayRepeat reports whether running the node twice is known, by trusted hints,
// to be as good as running it once.
func (a *Annotations) MayRepeat() bool {
	return a.IsReadOnly() || a != nil && a.Trusted && a.Idempotent != nil && *a.Idempotent
}

// IsDestructive reports whether the node may destroy something: MCP's default
// when its hints are absent.
func (a *Annotations) IsDestructive() bool {
	if a == nil {
		return true
	}
	if a.ReadOnly != nil && *a.ReadOnly {
		return false
	}
	return a.Destructive == nil || *a.Destructive
}
