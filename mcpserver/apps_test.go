package mcpserver

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

const pageHTML = "<!doctype html><title>Graph</title>"

// lists are what a client with some extensions is told of tools and resources.
func listsOf(t *testing.T, page, version string, extensions map[string]any) (c *mcp.ClientSession, tools []*mcp.Tool, text string) {
	t.Helper()
	pb := app.New(app.Options{})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	o := Options{}
	if page != "" {
		o.App = func() string { return page }
	}
	server := New(pb, o)
	near, far := mcp.NewInMemoryTransports()
	s, err := server.Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{Extensions: extensions}})
	c, err = client.Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = s.Wait()
	})
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resources, err := c.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal([]any{c.InitializeResult(), listed, resources})
	if err != nil {
		t.Fatal(err)
	}
	return c, listed.Tools, string(b)
}

// TestApps: clients that show pages are told of one, and have the tools that it calls. Others
// see no difference.
func TestApps(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		_, _, plain := listsOf(t, "", version, nil)
		for name, extensions := range map[string]map[string]any{
			"no extension":      nil,
			"another extension": {"example.com/x": map[string]any{}},
			"other types":       {appsExtension: map[string]any{"mimeTypes": []string{"text/plain"}}},
		} {
			c, _, got := listsOf(t, pageHTML, version, extensions)
			if got != plain {
				t.Errorf("%s, %s: the lists differ:\n%s", version, name, cmp.Diff(plain, got))
			}
			if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: appURI}); err == nil {
				t.Errorf("%s, %s: the page is there", version, name)
			}
		}
		c, tools, _ := listsOf(t, pageHTML, version, map[string]any{appsExtension: map[string]any{"mimeTypes": []string{appType}}})
		shown := map[string]bool{}
		for _, tool := range tools {
			about, _ := tool.Meta["ui"].(map[string]any)
			if about["resourceUri"] == appURI {
				shown[tool.Name] = true
			}
		}
		if diff := cmp.Diff([]string{"get_graph", "get_run", "run_graph", "validate_graph"}, slices.Sorted(maps.Keys(shown))); diff != "" {
			t.Error(version, diff)
		}
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: appURI})
		if err != nil || r.Contents[0].Text != pageHTML || r.Contents[0].MIMEType != appType || r.Contents[0].Meta["ui"] == nil {
			t.Errorf("%s: %+v, %v", version, r, err)
		}
		resources, err := c.ListResources(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(resources.Resources, func(r *mcp.Resource) bool { return r.URI == appURI && r.MIMEType == appType }) {
			t.Errorf("%s: the page is not listed: %v", version, err)
		}
		if _, _, without := listsOf(t, "", version, map[string]any{appsExtension: map[string]any{"mimeTypes": []string{appType}}}); without != plain {
			t.Errorf("%s: a program without a page offers one", version)
		}
	}
}
