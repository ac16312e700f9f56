package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
)

// A Skill teaches an agent to use an exposed graph, or to author graphs, in the form of Agent
// Skills: a folder with the file SKILL.md.
type Skill struct {
	Name        string // of the folder
	Description string
	Text        string // of SKILL.md
}

// SkillFile is the file of a skill.
const SkillFile = "SKILL.md"

// SkillMaker is in the metadata of a skill under generator: a skill that has it is ours to replace.
const SkillMaker = "patchbay"

// AuthoringSkill is the name of the skill about authoring.
const AuthoringSkill = "author-patchbay-graphs"

const (
	maxSkillName        = 64
	maxSkillDescription = 1024 // characters
	maxSkillSchema      = 8 << 10
)

// Skills returns the skill about authoring, and that of each exposed graph that the principal
// of the context may use.
func (lib *Library) Skills(ctx context.Context) []Skill {
	list := []Skill{newSkill(AuthoringSkill, "Build a tool out of several tool calls with Patchbay: a graph that is checked, tried, saved and run by its name. Use it when the same steps with tools are needed again, or many items go through the same steps.", discover.Guide().Text())}
	taken := map[string]bool{AuthoringSkill: true}
	for _, t := range lib.plans.GraphTools.List() {
		name := skillName(t.Name, taken)
		if lib.plans.Views.MayUseGraph(ctx, t.Name) {
			list = append(list, newSkill(name, diag.Visible(diag.OneLine(t.Description)), graphSkill(&t)))
		}
	}
	return list
}

// newSkill writes a skill: the head as YAML, whose values are JSON, and the text.
func newSkill(name, description, text string) Skill {
	s := Skill{Name: name, Description: diag.Cut(description, maxSkillDescription)}
	s.Text = fmt.Sprintf("---\nname: %s\ndescription: %s\nmetadata: {generator: %s}\n---\n\n%s\n", name, reply.EncodedWhole(s.Description), SkillMaker, strings.TrimSpace(text))
	return s
}

// skillName makes a graph's name into one that no other skill has: at most 64 lower-case
// letters, digits and single hyphens.
func skillName(graph string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(graph), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	base := cmp.Or(strings.Join(words, "-"), "graph")
	name := strings.TrimSuffix(base[:min(len(base), maxSkillName)], "-")
	for n := 2; taken[name]; n++ {
		end := fmt.Sprintf("-%d", n)
		name = strings.TrimSuffix(base[:min(len(base), maxSkillName-len(end))], "-") + end
	}
	taken[name] = true
	return name
}

// graphSkill says how to call a graph.
func graphSkill(t *plans.PublishedTool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\nCall the tool `%s` of the Patchbay server. If it is not among your tools, call `run_graph` with `{\"name\": %q, \"arguments\": {…}}`. It makes all its steps in one call: do not make them one by one.\n", t.Name, diag.Visible(t.Description), t.Name, t.Name)
	if t.Annotations.IsReadOnly() {
		b.WriteString("\nIt changes nothing.\n")
	}
	for _, part := range []struct {
		title  string
		schema json.RawMessage
	}{{"Arguments", t.InputSchema}, {"Result", t.OutputSchema}} {
		var text bytes.Buffer
		if len(part.schema) == 0 || len(part.schema) > maxSkillSchema || json.Indent(&text, part.schema, "", "  ") != nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n```json\n%s\n```\n", part.title, diag.Visible(text.String()))
	}
	return b.String()
}
