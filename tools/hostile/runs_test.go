//go:build linux

package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// started is a graph whose call is repeated when its run is resumed.
const started = "name: started\ninputSchema: {type: object, properties: {}}\nnodes:\n  - {id: entry, type: entry, next: look}\n  - {id: look, type: mcp, server: own, tool: look, retry: {unsafe: true}, args: {by: WHO}, next: exit}\n  - {id: exit, type: exit}\n"

// crash starts a run, and kills the program while the run's only call is not answered. It
// returns the ID of the run.
func (c *clone) crash(who string, flags ...string) (id string) {
	c.t.Helper()
	hang := c.log + ".hang"
	c.write(c.home, map[string]string{"started.yaml": strings.Replace(started, "WHO", who, 1)}, nil)
	c.write(filepath.Dir(hang), map[string]string{filepath.Base(hang): ""}, nil)
	list := func() string {
		return strings.TrimSpace(c.run(command{args: append([]string{"runs", "list", "-o", "name"}, flags...)}))
	}
	before := list()
	p, out := c.command(append([]string{"run", filepath.Join(c.home, "started.yaml")}, flags...)...)
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.hear(c.called, "been called")
	for id == "" && !c.t.Failed() { // it is stored while the call is made
		id = strings.TrimSpace(strings.TrimSuffix(list(), before))
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	if c.t.Failed() {
		c.t.Fatal(out)
	}
	if err := os.Remove(hang); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// resumed is the program until it has resumed the run of the user.
func resumed(c *clone, p *process) {
	session(c, p)
	c.hear(c.called, "been called by the user's run")
}

const journal = "project: shop\nruns: {file: runs.db}\n"

// TestRunsOfAnotherUser resumes no run of a journal that came with a clone: without trust
// it is not opened, and with it its runs can only be looked at. The user's own run, which
// crashed too, is resumed.
func TestRunsOfAnotherUser(t *testing.T) {
	w := newWorld(t)
	theirs := w.newClone(t, named)
	theirs.write(theirs.dir, one(journal), nil)
	id := theirs.crash("theirs", "--config", "patchbay.yaml")
	brought := role{name: "a journal", bare: true, files: func(map[string]string) map[string]string {
		got := one(journal)
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if b, err := os.ReadFile(filepath.Join(theirs.dir, "runs.db"+suffix)); err == nil {
				got["runs.db"+suffix] = string(b)
			}
		}
		return got
	}}
	for _, trusted := range []bool{false, true} {
		t.Run(map[bool]string{false: "untrusted", true: "trusted"}[trusted], func(t *testing.T) {
			t.Parallel()
			c := w.newClone(t, named)
			if trusted {
				c.bring(brought, nil)
				c.run(words("trust"))
			} else {
				c.write(c.dir, one("# nothing\n"), nil)
			}
			c.crash("mine")
			if !trusted { // the project stays that of the place
				c.bring(brought, nil)
			}
			asked := []string{looked, "call look mine"}
			all := words("serve").while(resumed).asks(asked...)
			c.judge(all, c.run(all))
			for _, cmd := range []command{words("runs resume " + id), words("runs answer " + id + " accept"), words("runs replay " + id), words("runs save-test " + id), words("runs show " + id), words("runs list")} {
				cmd = cmd.asks(asked...)
				c.judge(cmd, c.run(cmd))
			}
		})
	}
}

// TestSavedGraphsOfAnother makes no tool of the graphs in a folder of a trusted file before
// somebody has approved them, and asks about their destructive calls.
func TestSavedGraphsOfAnother(t *testing.T) {
	w := newWorld(t)
	graphs := role{name: "saved graphs", bare: true, files: func(map[string]string) map[string]string {
		return map[string]string{"graphs/evil.yaml": evil, "patchbay.yaml": "graphs: graphs\nwebhooks: {evil: {graph: evil, token: known}}\nlinks: {notify: evil}\n"}
	}}
	for _, cmd := range []command{served.folder(), words("serve --http 127.0.0.1:0").while(overHTTP).folder(), words("run evil").folder(), words("call graph:evil").folder(), words("graphs list").folder()} {
		t.Run(cmd.String(), func(t *testing.T) {
			t.Parallel()
			c := w.newClone(t, named)
			c.bring(graphs, nil)
			c.run(words("trust"))
			c.judge(cmd, c.run(cmd))
		})
	}
}
