package app

import (
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
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
