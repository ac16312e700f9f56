package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/internal/author/clientcode"
	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// parallel is how many calls that do not depend on each other a model makes in one turn.
const parallel = 20

// A measure is what one task costs in a world of one size, each way.
type measure struct {
	Task   string
	Items  int
	Direct cost // A: every tool listed, and called
	Search cost // B: search_nodes and run_node
	Script cost // C: a script over typed functions; its time is not measured
	Saved  cost // D: the saved graph is called
	Author cost // of D, once: until the graph is saved

	// After how many uses D has cost less than the other way, each use in a session of
	// its own; 0 if never.
	BeatsDirect int
	BeatsScript int
}

// measureTask does a task each way.
func measureTask(ctx context.Context, t *sample.Task, n int) (*measure, error) {
	s, err := open(ctx, n)
	if err != nil {
		return nil, err
	}
	defer s.close()
	m := &measure{Task: t.Name, Items: n}
	result, calls, err := s.saved(ctx, t, n, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	if m.Direct, err = s.directly(ctx, t, calls, result); err != nil {
		return nil, err
	}
	if m.Search, err = s.searching(ctx, t, calls, result); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	if m.Script, err = s.scripted(ctx, t, result); err != nil {
		return nil, err
	}
	m.BeatsDirect, m.BeatsScript = uses(m.Author, m.Saved, m.Direct), uses(m.Author, m.Saved, m.Script)
	return m, nil
}

// uses is after how many uses what is authored once has cost less than another way.
func uses(author, saved, other cost) int {
	gain := other.Tokens - saved.Tokens
	if gain <= 0 {
		return 0
	}
	return author.Tokens/gain + 1
}

// saved builds the graph of a task as an agent does, and calls it. It returns the result
// and the calls of the graph, which are made the other ways.
func (s *session) saved(ctx context.Context, t *sample.Task, n int, m *measure) (result string, calls []sample.Call, err error) {
	if m.Author, _, err = s.authored(ctx, t, true, t.Graph); err != nil {
		return "", nil, err
	}
	tool, err := definitions(ctx, s.client, t.Name)
	if err != nil {
		return "", nil, err
	}
	x, err := s.call(ctx, t.Name, t.Input(n))
	if err != nil {
		return "", nil, err
	}
	calls = s.Calls()
	s.took = 0
	if _, err := s.call(ctx, t.Name, t.Input(n)); err != nil { // once more, for the time of a later use
		return "", nil, err
	}
	use := &conversation{}
	use.read(tool, t.Wish)
	use.call(x)
	use.write(x.reply)
	m.Saved = use.cost(milliseconds(s.took))
	return x.reply, calls, use.err
}

// authored makes a tool of a text as an agent does, with or without the definitions of
// Patchbay's own tools. checks are the tokens of the text, its check and the save.
func (s *session) authored(ctx context.Context, t *sample.Task, defs bool, text string) (all cost, checks int, err error) {
	author := &conversation{}
	if defs {
		own, err := definitions(ctx, s.client)
		if err != nil {
			return all, 0, err
		}
		author.read(s.client.InitializeResult().Instructions, own)
	}
	author.read("Make a tool: " + t.Wish)
	ids := make([]map[string]string, len(t.Tools))
	for i, id := range t.Tools {
		ids[i] = map[string]string{"id": "mcp:" + id}
	}
	for _, step := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"search_nodes", map[string]any{"query": t.Wish, "max_results": 5}},
		{"get_node_details", map[string]any{"nodes": ids}},
		{"validate_graph", map[string]any{"graph": text}},
		{"save_graph", map[string]any{"graph": text}},
	} {
		x, err := s.call(ctx, step.tool, step.arguments)
		if err != nil {
			return all, 0, err
		}
		if step.tool == "validate_graph" {
			checks = -author.context
		}
		if step.tool == "save_graph" { // by the handle that the check returned
			x.arguments = json.RawMessage(`{"graph":"draft:abcdefghijklmnopqrstuvwxyz"}`)
		}
		author.call(x)
	}
	return author.cost(milliseconds(s.took)), checks + author.context, author.err
}

// written is what it costs to author a task as a graph and as a function.
type written struct {
	Task                    string
	GraphText, CodeText     int // tokens of the text alone
	GraphChecks, CodeChecks int // and of its checks and the save
	Graph, Code             cost
}

// write authors a task both ways, each in a session of its own.
func write(ctx context.Context, t *sample.Task) (w written, err error) {
	count := &conversation{}
	w = written{Task: t.Name, GraphText: count.count(t.Graph), CodeText: count.count(t.Code)}
	for i, text := range []string{t.Graph, t.Code} {
		s, err := open(ctx, 1)
		if err != nil {
			return w, err
		}
		all, checks, err := s.authored(ctx, t, false, text)
		s.close()
		if err != nil {
			return w, fmt.Errorf("%s: %w", t.Name, err)
		}
		if w.Code, w.CodeChecks = all, checks; i == 0 {
			w.Graph, w.GraphChecks = all, checks
		}
	}
	return w, count.err
}

// directly makes the calls by the servers' own tools.
func (s *session) directly(ctx context.Context, t *sample.Task, calls []sample.Call, result string) (cost, error) {
	defs, err := s.everything(ctx)
	if err != nil {
		return cost{}, err
	}
	s.took = 0
	c := &conversation{}
	c.read(defs, t.Wish)
	for _, batch := range batches(t, calls) {
		list := make([]spoken, len(batch))
		for i, x := range batch {
			if list[i], err = s.callBy(ctx, s.direct[x.Server], x.Tool, x.Arguments); err != nil {
				return cost{}, err
			}
		}
		c.call(list...)
	}
	c.write(result)
	return c.cost(milliseconds(s.took)), c.err
}

// searching makes the calls through search_nodes and run_node.
func (s *session) searching(ctx context.Context, t *sample.Task, calls []sample.Call, result string) (cost, error) {
	own, err := definitions(ctx, s.client)
	if err != nil {
		return cost{}, err
	}
	s.took = 0
	c := &conversation{}
	c.read(s.client.InitializeResult().Instructions, own[:len(own)-1], t.Wish) // the last one is the saved graph
	x, err := s.call(ctx, "search_nodes", map[string]any{"query": t.Wish, "max_results": 5})
	if err != nil {
		return cost{}, err
	}
	c.call(x)
	for _, batch := range batches(t, calls) {
		list := make([]spoken, len(batch))
		for i, y := range batch {
			if list[i], err = s.call(ctx, "run_node", map[string]any{"id": "mcp:" + y.Server + "/" + y.Tool, "arguments": y.Arguments}); err != nil {
				return cost{}, err
			}
		}
		c.call(list...)
	}
	c.write(result)
	return c.cost(milliseconds(s.took)), c.err
}

// scripted reads the typed functions of the tools, writes a script and reads its output.
func (s *session) scripted(ctx context.Context, t *sample.Task, result string) (cost, error) {
	x, err := s.functions(ctx, t)
	if err != nil {
		return cost{}, err
	}
	c := &conversation{}
	c.read(t.Wish)
	c.call(spoken{tool: "read", arguments: json.RawMessage(`{"file":"tools.ts"}`), reply: x})
	c.call(spoken{tool: "run", arguments: quoted(t.Script), reply: result})
	c.write(result)
	return c.cost(0), c.err
}

// batches are the calls of each turn: those that do not wait for one before. The graph
// made them in any order.
func batches(t *sample.Task, calls []sample.Call) [][]sample.Call {
	var list [][]sample.Call
	for len(calls) > 0 {
		same := slices.IndexFunc(calls, func(x sample.Call) bool { return x.Tool != calls[0].Tool })
		if same < 0 {
			same = len(calls)
		}
		group, most := calls[:same], parallel
		if calls = calls[same:]; group[0].Tool == t.Paged {
			most = 1
		} else {
			slices.SortFunc(group, func(a, b sample.Call) int { return bytes.Compare(a.Arguments, b.Arguments) })
		}
		list = slices.AppendSeq(list, slices.Chunk(group, most))
	}
	return list
}

func quoted(script string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"script": script})
	if err != nil {
		return nil
	}
	return b
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// functions are the typed functions of the tools that a task needs, without the part of
// their file that is always the same.
func (s *session) functions(ctx context.Context, t *sample.Task) (string, error) {
	in := patchbay.ExportInput{Format: "typescript"}
	for _, id := range t.Tools {
		in.Nodes = append(in.Nodes, "mcp:"+id)
	}
	r, err := s.app.Export(ctx, in)
	if err != nil {
		return "", err
	}
	code, found := strings.CutPrefix(r.Code, clientcode.TypeScript(nil))
	if !found {
		return "", errors.New("the exported file begins in another way")
	}
	return code, nil
}
