package app

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A server's tools have the tags and the other names of its entry.
func TestToolsHaveTheTagsOfTheirServer(t *testing.T) {
	pb := New(Options{})
	list := []*specs.Spec{{NodeType: "mcp", Subtype: "github/list"}}
	if got := pb.Tagged("github", list); len(got[0].Tags) != 0 {
		t.Errorf("without a configuration: %v", got[0].Tags)
	}
	pb.SetConfig(&config.Config{Servers: []config.Server{{Name: "other", Tags: []string{"x"}}, {Name: "github", Tags: []string{"code"}, Aliases: []string{"gh"}}}})
	if got := pb.Tagged("github", list); !slices.Equal(got[0].Tags, []string{"code", "gh"}) {
		t.Errorf("tags %v", got[0].Tags)
	}
}

// They have them after a reload too.
func TestTagsAreReloaded(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "github", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "list", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	tagged := func(tag string) *config.Config {
		return &config.Config{Runs: config.Runs{Memory: true}, Servers: []config.Server{{Name: "github", Tags: []string{tag}, Disabled: true}}}
	}
	pb, err := Open(t.Context(), tagged("code"), Setup{Servers: []downstream.Server{{Name: "github", InProcess: s}}})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	pb.Start(t.Context())
	for _, tag := range []string{"code", "forge"} {
		pb.Reload(tagged(tag))
		if got := pb.Catalog().Snapshot().Tool("github", "list").Tags; !slices.Equal(got, []string{tag}) {
			t.Errorf("tags %q, want %s", got, tag)
		}
	}
}
