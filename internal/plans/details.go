package plans

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A NodeRef names a node of the catalog: by id, or by type and subtype.
type NodeRef struct {
	NodeType string `json:"node_type,omitempty"`
	Subtype  string `json:"subtype,omitempty"`
	ID       string `json:"id,omitempty" jsonschema:"such as mcp:filesystem/list_directory or transform"`
}

// UnmarshalJSON takes an id by itself for {id: …}.
func (r *NodeRef) UnmarshalJSON(b []byte) error {
	var id string
	if json.Unmarshal(b, &id) == nil {
		*r = NodeRef{ID: id}
		return nil
	}
	type plain NodeRef
	return json.Unmarshal(b, (*plain)(r))
}

func (r NodeRef) String() string {
	if r.ID != "" {
		return r.ID
	}
	return (&specs.Spec{NodeType: r.NodeType, Subtype: r.Subtype}).ID()
}

// Canonical is the name of a node with the name that its server has here: authors may write
// the one in the server's file.
func (ts *toolSet) Canonical(ref NodeRef) NodeRef {
	name := strings.TrimPrefix(ref.String(), "mcp:")
	if ts.plans.servers.Hub == nil || ts.ServerNamed(ref) != "" {
		return ref
	}
	if here := ts.plans.servers.Hub.Canonical(name); here != name {
		return NodeRef{ID: "mcp:" + here}
	}
	return ref
}

// ServerNamed returns the server that the name of a node begins with, or "".
func (ts *toolSet) ServerNamed(ref NodeRef) string {
	if ts.plans.servers.Hub == nil {
		return ""
	}
	name := strings.TrimPrefix(ref.String(), "mcp:")
	longest := ""
	for _, s := range ts.plans.servers.Hub.Status() {
		named := strings.HasPrefix(name, s.Name+"/") || strings.HasPrefix(name, "mcp-"+s.Name+"-")
		if named && len(s.Name) > len(longest) {
			longest = s.Name
		}
	}
	return longest
}
