package graphfiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

const approvable = "name: a\ndescription: x\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n"

func over(t *testing.T, dir string, a graphfiles.Approvals) *graphfiles.Graphs {
	t.Helper()
	g, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	g.UseApprovals(a)
	return g
}

func approvalOf(t *testing.T, g *graphfiles.Graphs) graphfiles.Approval {
	t.Helper()
	one, f := g.Get("a")
	if f != nil {
		t.Fatal(f)
	}
	return g.Approval(one)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A text that nobody has saved or approved is a person's in the user's own folder only. What
// is noted is seen by other processes, and is about the text at its real path.
func TestWhoAnswersForAText(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		dir := t.TempDir()
		file, unknown := filepath.Join(t.TempDir(), "approved", "graphs.json"), graphfiles.ByPerson
		if foreign {
			unknown = graphfiles.Unapproved
		}
		g, other := over(t, dir, graphfiles.Approvals{File: file, Foreign: foreign}), over(t, dir, graphfiles.Approvals{File: file, Foreign: foreign})
		expect := func(what string, want graphfiles.Approval) {
			t.Helper()
			if a, b := approvalOf(t, g), approvalOf(t, other); a != want || b != want {
				t.Errorf("foreign %t, %s: %d and %d, want %d", foreign, what, a, b, want)
			}
		}
		put(t, filepath.Join(dir, "a.yaml"), approvable)
		expect("by hand", unknown)
		now, _ := g.Get("a")
		if f := g.Approve("a", now.Revision); f != nil {
			t.Fatal(f)
		}
		expect("approved", graphfiles.ByPerson)
		save := func(text string, agent bool) {
			t.Helper()
			if _, f := g.Save("a", text, graphfiles.SaveOptions{Overwrite: true, Agent: agent}); f != nil {
				t.Fatal(f)
			}
		}
		save(approvable, true)
		expect("saved by an agent as it was", graphfiles.ByPerson)
		second := strings.Replace(approvable, "x", "second", 1)
		save(second, true)
		expect("an agent's", graphfiles.ByAgent)
		if got := g.ApprovalOf(filepath.Join(dir, "a.yaml"), approvable); got != graphfiles.ByPerson {
			t.Errorf("the approved text, now former: %d", got)
		}
		if f := g.Approve("a", now.Revision); f == nil || f.Code != "stale-revision" {
			t.Errorf("a revision that is not there any more was approved: %v", f)
		}
		save(second, false)
		expect("saved by a person", graphfiles.ByPerson)
		put(t, filepath.Join(dir, "a.yaml"), approvable+"# changed\n")
		expect("changed by hand", unknown)
		for i := range 2 * graphfiles.MaxRevisions {
			save(fmt.Sprintf("%s# %d\n", approvable, i), true)
		}
		expect("an agent's again", graphfiles.ByAgent)
		if got := g.ApprovalOf(filepath.Join(dir, "a.yaml"), approvable+"# 1\n"); got == graphfiles.ByPerson {
			t.Error("an agent's text is a person's once it is forgotten")
		}
		if got := g.ApprovalOf(filepath.Join(t.TempDir(), "b.yaml"), approvable); got != graphfiles.ByPerson {
			t.Errorf("a file elsewhere: %d", got)
		}
		elsewhere := over(t, t.TempDir(), graphfiles.Approvals{File: file, Foreign: foreign})
		put(t, filepath.Join(elsewhere.Dir(), "a.yaml"), second)
		if got := approvalOf(t, elsewhere); got != unknown {
			t.Errorf("an approved text in another folder: %d", got)
		}
		if f := g.Delete("a", ""); f != nil {
			t.Fatal(f)
		}
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), `"format": 1`) {
			t.Errorf("%v: %s", err, b)
		}
	}
}

// Approvals that cannot be read approve nothing, and stay as they are.
func TestApprovalsThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"{", `{"format": 99, "content": {}}`} {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "graphs.json")
		put(t, filepath.Join(dir, "a.yaml"), approvable)
		put(t, file, text)
		for foreign, want := range map[bool]graphfiles.Approval{false: graphfiles.ByAgent, true: graphfiles.Unapproved} {
			g := over(t, dir, graphfiles.Approvals{File: file, Foreign: foreign})
			if got := approvalOf(t, g); got != want {
				t.Errorf("%s: %d, want %d", text, got, want)
			}
			if _, f := g.Save("a", approvable, graphfiles.SaveOptions{Overwrite: true}); f == nil || f.Code != "not-saved" {
				t.Errorf("%s: %v", text, f)
			}
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != text {
			t.Errorf("%v: %s", err, b)
		}
	}
}

// What earlier versions noted of agents still holds in the user's own folder, until a person
// approves it.
func TestMarksOfEarlierVersions(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.yaml"), approvable)
	put(t, filepath.Join(dir, ".unreviewed", "a"), "0123456789abcdef\n"+graph.Revision(approvable)+"\n")
	g := over(t, dir, graphfiles.Approvals{})
	if got := approvalOf(t, g); got != graphfiles.ByAgent {
		t.Errorf("it is %d", got)
	}
	if f := g.Approve("a", graph.Revision(approvable)); f != nil || approvalOf(t, g) != graphfiles.ByPerson {
		t.Errorf("approved: %v, %d", f, approvalOf(t, g))
	}
}

// A former text that a person restores is a person's only if it was before: the history may
// have come with the folder.
func TestWhoAnswersForARestoredText(t *testing.T) {
	former := func(s string) string { return strings.Replace(approvable, "x", s, 1) }
	for _, foreign := range []bool{false, true} {
		dir := t.TempDir()
		g := over(t, dir, graphfiles.Approvals{File: filepath.Join(t.TempDir(), "graphs.json"), Foreign: foreign})
		mustSave(t, g, "a", former("person"), graphfiles.SaveOptions{})
		mustSave(t, g, "a", former("agent"), graphfiles.SaveOptions{Overwrite: true, Agent: true})
		if f := g.Delete("a", ""); f != nil {
			t.Fatal(f)
		}
		unknown := graphfiles.ByPerson
		if foreign {
			unknown = graphfiles.ByAgent
		}
		put(t, filepath.Join(dir, ".revisions", "a", "000009-20250101T000000Z-"+graph.Revision(former("planted"))+".yaml"), former("planted"))
		for by, want := range map[string]graphfiles.Approval{"person": graphfiles.ByPerson, "agent": graphfiles.ByAgent, "planted": unknown} {
			_, text, f := g.Revision("a", graph.Revision(former(by)))
			if f != nil {
				t.Fatal(f)
			}
			mustSave(t, g, "a", text, graphfiles.SaveOptions{Overwrite: true, Restore: true})
			if got := approvalOf(t, g); got != want {
				t.Errorf("foreign %t, %s: %d, want %d", foreign, by, got, want)
			}
		}
	}
}
