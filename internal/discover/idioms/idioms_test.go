package idioms_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/internal/servers/workspace"
	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
	"github.com/patchbay-mcp/patchbay/specs"
)

// product is a Patchbay over what an idiom needs: its files and its servers, whose
// tools answer by their expressions.
func product(t *testing.T, i *idioms.Idiom) *app.App {
	t.Helper()
	dir := t.TempDir()
	for name, text := range i.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := workspace.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	servers := []downstream.Server{{Name: "workspace", InProcess: files, Trusted: true}}
	calculator := app.New(app.Options{})
	t.Cleanup(calculator.Close)
	for name, tools := range i.Servers {
		s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
		for tool, is := range tools {
			spec := &mcp.Tool{Name: tool, InputSchema: encoded(t, is.Input)}
			if is.Output != nil {
				spec.OutputSchema = encoded(t, is.Output)
			}
			s.AddTool(spec, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				reply, fault := calculator.Evaluate(ctx, author.EvaluateInput{Expression: encoded(t, is.Reply), Context: r.Params.Arguments})
				if fault != nil {
					return nil, fault
				}
				result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(reply.Value)}}}
				if is.Output != nil {
					result.StructuredContent = reply.Value
				}
				return result, nil
			})
		}
		servers = append(servers, downstream.Server{Name: name, InProcess: s})
	}
	allowed, err := egress.ParsePrefix("https://api.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	policy := egress.Policy{Allow: []egress.Prefix{allowed}, Variables: map[string]egress.Variable{"MODEL_KEY": {Value: "key"}}}
	pb := app.New(app.Options{Servers: servers, Egress: egress.New(&egress.Options{Policy: policy})})
	t.Cleanup(pb.Close)
	pb.SetModels([]models.Model{{Name: "fast", API: "openai", URL: "http://127.0.0.1:1/v1", Concurrency: 1}})
	pb.Start(t.Context())
	return pb
}

func encoded(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The graph of every idiom is short, passes the checker without a warning, and does
// what the idiom says.
func TestIdiomsRun(t *testing.T) {
	for _, i := range idioms.All() {
		t.Run(i.Name, func(t *testing.T) {
			if lines := strings.Count(i.Graph, "\n"); lines > idioms.MaxLines {
				t.Errorf("the graph has %d lines, want at most %d", lines, idioms.MaxLines)
			}
			if strings.Contains(i.Text, "\n\n") || i.Text == "" || i.Title == "" {
				t.Error("an idiom has a title and one paragraph")
			}
			pb := product(t, i)
			in := plans.GraphInput{Graph: encoded(t, i.Graph)}
			checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: in})
			if fault != nil {
				t.Fatal(fault)
			}
			if !checked.Valid || len(checked.Warnings) > 0 {
				t.Fatalf("the graph is not faultless:\n%s", checked.Rendered)
			}
			pins := map[string]json.RawMessage{}
			for id, output := range i.Pins {
				pins[id] = encoded(t, output)
			}
			r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: in.Graph, Tool: i.Tool}, Arguments: encoded(t, i.Arguments), Pins: pins})
			if fault != nil {
				t.Fatal(fault)
			}
			if r.Status != "succeeded" {
				t.Fatalf("%s: %+v", r.Status, r.Error)
			}
			var got, want any
			if json.Unmarshal(r.Result, &got) != nil || json.Unmarshal(encoded(t, i.Result), &want) != nil {
				t.Fatal("not JSON")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// What a model reads of an idiom or a section of the guide is bounded.
func TestIdiomsAreShort(t *testing.T) {
	for _, spec := range slices.Concat(discover.Guide().Specs(), idioms.Specs()) {
		text := spec.Description
		if len(spec.Examples) > 0 {
			text += spec.Examples[0].Graph
		}
		if n, err := tokens.Count(text); err != nil || n > 1200 {
			t.Errorf("%s has %d tokens, want at most 1,200; %v", spec.ID(), n, err)
		}
		if len(spec.Intents) < 3 {
			t.Errorf("%s has %d phrases, want at least 3", spec.ID(), len(spec.Intents))
		}
		if spec.NodeType != specs.Idiom {
			t.Errorf("%s is not an idiom", spec.ID())
		}
	}
	if guide := discover.Guide().Text(); len(guide) > 6000 {
		t.Errorf("the guide has %d bytes, want at most 6,000:\n%s", len(guide), guide)
	}
}

// The guide is the instructions, what every author needs and the names of the other
// sections, which follow in its documentation: no section is twice or missing.
func TestTheGuideIsItsSections(t *testing.T) {
	guide, whole := discover.Guide().Text(), discover.Guide().Whole()
	if !strings.HasPrefix(whole, guide) || !strings.HasPrefix(guide, "# How to author a graph\n\n## In short\n"+idioms.Instructions()) {
		t.Errorf("the guide begins with %.200s", guide)
	}
	for _, s := range discover.Guide().Sections() {
		text := "\n## " + s.Title + "\n" + s.Text
		if strings.Count(whole, text) != 1 || strings.Contains(guide, text) == s.Apart || strings.Contains(guide, "\n- "+s.Name+": "+s.Summary+"\n") != s.Apart {
			t.Errorf("the section %s, apart %t, in\n%s", s.Name, s.Apart, guide)
		}
	}
	for _, i := range idioms.All() {
		if !strings.Contains(whole, "idiom:"+i.Name+"`") {
			t.Errorf("the guide does not name idiom:%s", i.Name)
		}
	}
}
