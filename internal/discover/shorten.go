package discover

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
)

// bytesPerToken is how many bytes of JSON a token has at least, as models count:
// schemas and skeletons have about four, Chinese three.
const bytesPerToken = 3

// A shortening makes a node's knowledge shorter.
type shortening struct {
	what string
	cut  func(*NodeDetails)
}

const allButNames = "all but names"

// comments are the descriptions in a signature.
var comments = regexp.MustCompile(`(?m) // .*$`)

// shortenings drop what is least needed first: schemas say what fits and go last
// of what an author needs to write the node; after them only enough is left to
// ask again.
var shortenings = []shortening{
	{"examples but the first", func(d *NodeDetails) { d.Examples = d.Examples[:min(1, len(d.Examples))] }},
	{"examples", func(d *NodeDetails) { d.Examples = nil }},
	{"tags", func(d *NodeDetails) { d.Tags, d.Source, d.Version, d.Category, d.Title = nil, "", "", "", "" }},
	{"ends of descriptions", func(d *NodeDetails) { d.shortenTexts(120) }},
	{"port descriptions", func(d *NodeDetails) {
		d.eachPort(func(p *specs.Port) { p.Description = "" })
	}},
	{"parameter descriptions", func(d *NodeDetails) {
		d.shortenTexts(0)
		d.Signature = comments.ReplaceAllString(d.Signature, "")
	}},
	{"schemas", (*NodeDetails).withoutSchemas},
	{"ports", func(d *NodeDetails) { d.InputPorts, d.OutputPorts = nil, nil }},
	{"skeletons", func(d *NodeDetails) { d.Skeleton, d.Call = nil, "" }},
	{"graphs", func(d *NodeDetails) { d.Graph = "" }},
	{"parameters", func(d *NodeDetails) {
		d.Parameters, d.Signature, d.FollowedBy, d.Annotations, d.Observed = nil, "", nil, nil, nil
	}},
	{allButNames, func(d *NodeDetails) {
		d.Description, d.Suggestions = "", d.Suggestions[:min(1, len(d.Suggestions))]
	}},
}

// shorten drops what is least needed until the reply has at most so many tokens,
// and last of all nodes, from the end.
func (r *DetailsResult) shorten(tokens int) {
	if !r.fits(tokens) {
		r.Hint = "" // which is not about the nodes
	}
	for _, s := range shortenings {
		if r.fits(tokens) {
			return
		}
		before := r.size()
		for i := range r.Nodes {
			s.cut(&r.Nodes[i])
		}
		if r.size() == before {
			continue
		}
		if s.what == "examples" || s.what == allButNames {
			r.LeftOut = nil
		}
		r.LeftOut = append(r.LeftOut, s.what)
	}
	said := r.LeftOut
	for asked := len(r.Nodes); len(r.Nodes) > 0 && !r.fits(tokens); {
		r.Nodes = r.Nodes[:len(r.Nodes)-1]
		r.LeftOut = append(slices.Clip(said), fmt.Sprintf("%d of %d nodes", asked-len(r.Nodes), asked))
	}
	if len(r.Nodes) == 0 {
		r.LeftOut = []string{"everything"}
	}
}

func (r *DetailsResult) fits(tokens int) bool { return r.size() <= tokens*bytesPerToken }

// size is the reply's in bytes.
func (r *DetailsResult) size() int {
	b, err := json.Marshal(r)
	if err != nil {
		return 0
	}
	return len(b)
}

func (d *NodeDetails) withoutSchemas() {
	d.eachPort(func(p *specs.Port) { p.DataFormat, p.ValidationSchema = nil, nil })
}

// eachPort changes copies of the ports, which belong to the catalog.
func (d *NodeDetails) eachPort(change func(*specs.Port)) {
	d.InputPorts, d.OutputPorts = slices.Clone(d.InputPorts), slices.Clone(d.OutputPorts)
	for i := range d.InputPorts {
		change(&d.InputPorts[i])
	}
	for i := range d.OutputPorts {
		change(&d.OutputPorts[i])
	}
}

// shortenTexts cuts descriptions to n characters, those of parameters to none for
// n = 0.
func (d *NodeDetails) shortenTexts(n int) {
	d.Description = diag.Cut(d.Description, max(n, 120))
	d.Parameters = slices.Clone(d.Parameters)
	for i := range d.Parameters {
		p := &d.Parameters[i]
		if n == 0 {
			p.Description = ""
		} else {
			p.Description = diag.Cut(p.Description, n)
		}
	}
}
