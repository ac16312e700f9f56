package graphfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// An Approval says who answers for the text of a saved graph.
type Approval int

// Who answers for a text, the best first.
const (
	ByPerson   Approval = iota // a person has saved, written or approved it
	ByAgent                    // an agent has saved it
	Unapproved                 // it came with its folder and was neither saved nor approved here
)

// Approvals say where is noted who has saved or approved which texts, and what a text is of
// which nothing is noted. The zero Approvals are kept in memory, for the user's own folder.
type Approvals struct {
	File    string // "" is memory
	Foreign bool   // the folder came with a project: such a text is [Unapproved], not [ByPerson]
}

// A signature says who has saved or approved a text.
type signature struct {
	Hash string `json:"hash"` // SHA-256
	By   string `json:"by"`
}

const person, agent = "person", "agent"

// signatures are those of the texts of graph files, by the real path, the latest last.
type signatures map[string][]signature

// legacyDir is the folder, in that of saved graphs, in which earlier versions noted the
// revisions of agents: a file for each name, with a line for each revision.
const legacyDir = ".unreviewed"

// maxLegacy is the size in bytes of the largest such file that is read.
const maxLegacy = 64 << 20

// UseApprovals says where approvals are kept. It is called before anything else.
func (g *Graphs) UseApprovals(a Approvals) {
	g.approvals, g.signed.Path, g.signed.Format = a, a.File, formats.Approvals
}

// Approval returns who answers for a saved graph. If what is noted cannot be read, that is
// an agent in the user's own folder.
func (g *Graphs) Approval(one *Graph) Approval { return g.ApprovalsNow()(one) }

// ApprovalsNow returns [Graphs.Approval] for many graphs: it reads the file of approvals once.
func (g *Graphs) ApprovalsNow() func(*Graph) Approval {
	all, err := g.signed.Read()
	return func(one *Graph) Approval {
		a, ok := all.of(one.hash, one.real)
		switch {
		case ok:
			return a
		case g.approvals.Foreign:
			return Unapproved
		case err != nil, g.legacyAgent(one.Name, one.Revision):
			return ByAgent
		}
		return ByPerson
	}
}

// ApprovalOf returns who answers for a text that was read from a path, perhaps some time
// ago. A text from elsewhere is a person's, unless it is one of the saved graph of its name.
func (g *Graphs) ApprovalOf(path, text string) Approval {
	name := stem(path)
	if now := g.known(name); now != nil && now.Src == text { // as it is for each run of a saved graph
		return g.Approval(now)
	}
	hash, real := files.Hash(text), files.Real(path)
	if slices.ContainsFunc(extensions, func(ext string) bool {
		_, err := os.Lstat(filepath.Join(g.dir, name+ext))
		return err == nil
	}) { // else the folder need not be listed
		if now, fault := g.Get(name); fault == nil && now.hash == hash {
			return g.Approval(now)
		}
	}
	switch a, ok, _ := g.noted(hash, real, files.Real(filepath.Join(g.dir, filepath.Base(path)))); {
	case ok:
		return a
	case g.legacyAgent(name, graph.Revision(text)):
		return ByAgent
	case !files.Within(g.dir, path):
		return ByPerson
	case g.approvals.Foreign:
		return Unapproved
	}
	return ByAgent // an older text; its record is gone
}

// Owns reports whether a file is in the folder of saved graphs, and that is the user's own.
func (g *Graphs) Owns(path string) bool {
	return !g.approvals.Foreign && files.Within(g.dir, path)
}

// Has reports whether a text that was read from a path is that of the saved graph of its name.
func (g *Graphs) Has(path, text string) bool {
	now, fault := g.Get(stem(path))
	return fault == nil && now.hash == files.Hash(text)
}

// Approve takes note that a person has looked at a saved graph, as it is now if that is
// still the revision.
//
// Faults: unknown-graph, stale-revision, graphs-busy, not-saved.
func (g *Graphs) Approve(name, revision string) *diag.Fault {
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	now, f := g.Get(name)
	if f == nil {
		f = current(name, now, revision)
	}
	if f != nil {
		return f
	}
	if err := g.sign(now.Path, now.Src, person); err != nil {
		return notSaved(name, err)
	}
	return nil
}

// Replaced takes note that a person is about to replace the text of a file that may be a
// saved graph: if a person answered for it, a person answers for the new one.
func (a Approvals) Replaced(path, before, after string) error {
	g := &Graphs{}
	g.UseApprovals(a)
	if by, ok, err := g.noted(files.Hash(before), files.Real(path)); err != nil || !ok || by != ByPerson {
		return err
	}
	return g.sign(path, after, person)
}

// sign takes note of who answers for a text of the file at a path.
func (g *Graphs) sign(path, text, by string) error {
	hash, real := files.Hash(text), files.Real(path)
	return g.signed.Change(func(all *signatures) {
		if *all == nil {
			*all = signatures{}
		}
		list := slices.DeleteFunc((*all)[real], func(s signature) bool { return s.Hash == hash })
		list = append(list, signature{hash, by})
		(*all)[real] = list[max(0, len(list)-MaxRevisions):]
	})
}

// hadPerson reports whether a person answered for a former text of a graph. It may have come
// with its folder, which has the history too.
func (g *Graphs) hadPerson(name, text string) bool {
	paths := lists.Each(extensions, func(ext string) string { return files.Real(filepath.Join(g.dir, name+ext)) })
	a, ok, err := g.noted(files.Hash(text), paths...)
	if ok {
		return a == ByPerson
	}
	return err == nil && !g.approvals.Foreign && !g.legacyAgent(name, graph.Revision(text))
}

// noted returns who answers for a text, if that is noted under one of the paths.
func (g *Graphs) noted(hash string, paths ...string) (a Approval, ok bool, err error) {
	all, err := g.signed.Read()
	if a, ok = all.of(hash, paths...); ok {
		err = nil
	}
	return a, ok, err
}

func (all signatures) of(hash string, paths ...string) (a Approval, ok bool) {
	for _, path := range paths {
		for _, s := range all[path] {
			switch {
			case s.Hash != hash:
			case s.By == person:
				return ByPerson, true
			default:
				return ByAgent, true
			}
		}
	}
	return 0, false
}

// legacyAgent reports whether an earlier version noted that an agent has saved a revision.
// A list that cannot be read has all of them.
func (g *Graphs) legacyAgent(name, revision string) bool {
	if g.approvals.Foreign || g.noLegacy.Load() || checkName(name) != nil {
		return false
	}
	text, err := files.Folder(g.dir).Read(legacyDir+"/"+name, maxLegacy)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || slices.Contains(strings.Fields(string(text)), revision)
}
