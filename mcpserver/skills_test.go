package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library"
)

// skillsOf lists the skills of a server, reads each, and compares the digest, the head and
// the answer to skills/get with what was listed.
func skillsOf(t *testing.T, c *client) map[string]string {
	t.Helper()
	read := func(method string, params any, into any) {
		t.Helper()
		m := c.request(method, params)
		if m.Error != nil {
			t.Fatalf("%s: %+v", method, m.Error)
		}
		if err := json.Unmarshal(m.Result, into); err != nil {
			t.Fatal(err)
		}
	}
	var listed struct {
		Skills []skillEntry `json:"skills"`
	}
	read("skills/list", map[string]any{}, &listed)
	texts := map[string]string{}
	for _, s := range listed.Skills {
		var got struct {
			Skill skillEntry `json:"skill"`
		}
		read("skills/get", map[string]any{"uri": s.URI}, &got)
		if fmt.Sprint(got.Skill) != fmt.Sprint(s) {
			t.Errorf("skills/get: %v, listed %v", got.Skill, s)
		}
		var r struct {
			Contents []struct {
				URI, Text, MimeType string
			}
		}
		read("resources/read", map[string]any{"uri": s.URI}, &r)
		text := r.Contents[0].Text
		sum := sha256.Sum256([]byte(text))
		if len(s.Resources) != 1 || s.Resources[0].URI != s.URI || s.Resources[0].Digest != "sha256:"+hex.EncodeToString(sum[:]) || r.Contents[0].MimeType != "text/markdown" {
			t.Errorf("%s: %+v", s.URI, s.Resources)
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		doc, _ := graph.Parse("head", head)
		if want, _ := json.Marshal(s.Frontmatter); doc == nil || !sameJSON(string(doc.Root.JSON()), string(want)) {
			t.Errorf("%s: the head is %q", s.URI, head)
		}
		name, _ := s.Frontmatter["name"].(string)
		if s.URI != "skill://"+name+"/SKILL.md" || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) || len(name) > 64 {
			t.Errorf("%s is called %q", s.URI, name)
		}
		texts[name] = text
	}
	return texts
}

// Each exposed graph has a skill, from when it is saved until it is deleted.
func TestSkillsFollowTheGraphs(t *testing.T) {
	pb, err := app.Open(t.Context(), &config.Config{GraphsDir: t.TempDir(), ExposeMax: 20, GraphsOfAgents: config.AgentsExpose, Runs: config.Runs{Memory: true}}, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	c := attach(t, New(pb, Options{}), nil)
	save := func(name, description string) {
		t.Helper()
		src, _ := json.Marshal(fmt.Sprintf("name: %s\ndescription: %q\ninputSchema: {type: object, properties: {a: {type: string}}}\noutputSchema: {type: object}\nnodes: [{id: a, type: entry, next: b}, {id: b, type: exit}]\n", name, description))
		c.call("save_graph", `{"overwrite":true,"graph":`+string(src)+`}`)
	}
	names := func() []string {
		t.Helper()
		texts, names := skillsOf(t, c), []string{}
		for name := range texts {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	if got := names(); !slices.Equal(got, []string{library.AuthoringSkill}) {
		t.Fatalf("at first: %q", got)
	}
	save("count_files", "Counts: the \"files\" of a folder # all")
	save("count-files", "Counts again")
	if got := names(); !slices.Equal(got, []string{library.AuthoringSkill, "count-files", "count-files-2"}) {
		t.Fatalf("after two saves: %q", got)
	}
	save("count_files", "Counts otherwise")
	if texts := skillsOf(t, c); !strings.Contains(texts["count-files"]+texts["count-files-2"], "Counts otherwise") || strings.Contains(fmt.Sprint(texts), "# all") {
		t.Error("the skill has not followed the graph")
	}
	c.call("delete_graph", `{"name":"count_files"}`)
	c.call("delete_graph", `{"name":"count-files"}`)
	if got := names(); !slices.Equal(got, []string{library.AuthoringSkill}) {
		t.Fatalf("after the deletions: %q", got)
	}
	for _, uri := range []string{"skill://nothing/SKILL.md", "skill://count-files/SKILL.md"} {
		if m := c.request("skills/get", map[string]any{"uri": uri}); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s: %+v", uri, m)
		}
		if m := c.request("resources/read", map[string]any{"uri": uri}); m.Error == nil {
			t.Errorf("%s can be read", uri)
		}
	}
}
