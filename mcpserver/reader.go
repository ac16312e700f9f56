package mcpserver

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// A reader is who reads what the server says: a list of our tools that it lacks, which no
// message names.
type reader []string

type readerKey struct{}

// readerFrom returns who reads the reply to the request of a context.
func readerFrom(ctx context.Context) reader {
	r, _ := ctx.Value(readerKey{}).(reader)
	return r
}

// readers has replies know who reads them, and instructions say what their reader can do.
func readers(pb *app.App, o Options) step {
	operations := app.Operations()
	lacks := func(id *access.Identity) (r reader) {
		for _, op := range operations {
			if op.Tool != "" && (!o.offers(op) || id != nil && !id.Rights.May(pb.ScopeOf(op.Tool))) {
				r = append(r, op.Tool)
			}
		}
		return r
	}
	local := lacks(nil)
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		r := local
		if id := httpd.Caller(req); id != nil {
			r = lacks(id)
		}
		res, err := next(context.WithValue(ctx, readerKey{}, r), method, req)
		switch greeting := res.(type) {
		case *mcp.InitializeResult:
			greeting.Instructions = r.text(greeting.Instructions)
		case *mcp.DiscoverResult:
			greeting.Instructions = r.text(greeting.Instructions)
		}
		return res, err
	}
}

var (
	// clause finds what ends with a semicolon or as a sentence; a call is in one.
	clause = regexp.MustCompile(`(?:\{(?:[^{}]|\{[^{}]*\})*\}|.)+?(?:; |\. |$)`)
	// guideLine finds the steps and points of the guide, whose sentences belong together.
	guideLine = regexp.MustCompile(`.+\n?`)
	// hintAt is where replies have messages of ours; elsewhere are values of tools and graphs.
	hintAt = regexp.MustCompile(`^(?:/(?:error|errors|warnings|notes|diagnostics|why|nodes|results|available_packs|broken_packs|cases|details|trace|step|runs|run|[0-9]+))*/(?:hint|how_to_call|pattern)$`)
	// hintLine is a hint in what a reply has for people.
	hintLine = regexp.MustCompile(`hint: .*`)
)

// noTool replaces a message whose every clause names a tool that the reader lacks.
const noTool = "what comes next needs a tool that this session does not have; ask the operator"

// text leaves out what names a tool that the reader lacks: clauses of a message, lines of a
// longer text.
func (r reader) text(message string) string {
	part := clause
	if strings.Contains(message, "\n") {
		part = guideLine
	}
	told := part.ReplaceAllStringFunc(message, func(part string) string {
		if slices.ContainsFunc(app.Mentions(part), func(m app.Mention) bool { return slices.Contains(r, m.Operation.Tool) }) {
			return ""
		}
		return part
	})
	switch {
	case told == message:
		return message
	case strings.TrimSpace(told) == "":
		return noTool
	}
	return strings.TrimRight(told, "; ")
}

// reply changes the messages of a reply, which is JSON. The description of an idiom is one: it
// has the parts of the guide.
func (r reader) reply(b []byte) []byte {
	if !slices.ContainsFunc(r, func(tool string) bool { return bytes.Contains(b, []byte(tool)) }) {
		return b
	}
	var out bytes.Buffer
	from, to, idiom := tolerant(b), jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), false
	for from.PeekKind() != 0 {
		t, err := from.ReadToken()
		if err != nil {
			return b
		}
		at := string(from.StackPointer())
		if in, n := from.StackIndex(from.StackDepth()); t.Kind() == '"' && (in != '{' || n%2 == 0) {
			idiom = idiom && !strings.HasSuffix(at, "/node_type") || strings.HasSuffix(at, "/node_type") && t.String() == "idiom"
			if hintAt.MatchString(at) || idiom && strings.HasSuffix(at, "/description") {
				t = jsontext.String(r.text(t.String()))
			}
		}
		if to.WriteToken(t) != nil {
			return b
		}
	}
	return bytes.TrimSpace(out.Bytes())
}
