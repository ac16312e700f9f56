package app_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

var (
	coldSteps = flag.Int("cold.steps", 25, "how many changes TestAnswersAreThoseOfAColdStart makes")
	coldSeed  = flag.Uint64("cold.seed", 1, "which changes TestAnswersAreThoseOfAColdStart makes")
)

// After any change of saved graphs and their times, of tools, servers, their versions and
// secrets, a Patchbay that has seen all of them answers as one does that has just been started
// without a cache, and as one with the cache of earlier starts.
//
//	go test ./internal/app -run ColdStart -cold.steps=1000 -cold.seed=7
func TestAnswersAreThoseOfAColdStart(t *testing.T) {
	w := &coldWorld{T: t, Rand: rand.New(rand.NewPCG(*coldSeed, 0)), dir: t.TempDir(), servers: map[string]map[string]int{}}
	warm := w.open("cache of the first")
	for step := range *coldSteps {
		what := w.change(warm)
		cold, again := w.open(""), w.open("cache")
		w.stored = w.runs
		want := w.answers(cold)
		w.runs = w.ran
		for name, pb := range map[string]*app.App{"the first": warm, "one with a cache": again} {
			if d := cmp.Diff(want, w.answers(pb)); d != "" {
				t.Fatalf("step %d, %s: %s answers otherwise than a cold start; -cold +this:\n%s", step, what, name, d)
			}
		}
		cold.Close()
		again.Close()
	}
}

// A coldWorld is all that answers depend on.
type coldWorld struct {
	*testing.T
	*rand.Rand
	dir     string
	servers map[string]map[string]int // versions of tools, by server and tool; "" is that of the server
	secrets []secrets.Secret
	ran     []string // the latest runs
	runs    []string // those of the cold start before, whose Patchbay is closed
	stored  []string // those that are looked at
}

func (w *coldWorld) graphs() string { return filepath.Join(w.dir, "graphs") }

// open starts a Patchbay.
func (w *coldWorld) open(cache string) *app.App {
	cfg := &config.Config{
		GraphsDir: w.graphs(), ApprovalsFile: filepath.Join(w.dir, "approvals"), ExposeMax: 20, NoShapes: true, NoSearches: true, Redactor: secrets.NewRedactor(slices.Clone(w.secrets)),
		Runs: config.Runs{File: filepath.Join(w.dir, "runs.db"), KeyFile: filepath.Join(w.dir, "key"), NoRecover: true},
	}
	if cache != "" {
		cfg.CacheDir = filepath.Join(w.dir, cache)
	}
	pb, err := app.Open(w.Context(), cfg, app.Setup{Servers: w.list()})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(pb.Close)
	pb.Start(w.Context())
	w.settle(pb)
	return pb
}

// settle waits until a Patchbay has seen the last change.
func (w *coldWorld) settle(pb *app.App) {
	for name := range w.servers {
		if fault := pb.Hub.Ready(w.Context(), name); fault != nil {
			w.Fatal(fault)
		}
	}
	pb.GraphsFollow.Changed()
	pb.GraphsFollow.Flush()
}

// list are the servers as they are now.
func (w *coldWorld) list() []downstream.Server {
	list := []downstream.Server{}
	for _, name := range slices.Sorted(maps.Keys(w.servers)) {
		tools := maps.Clone(w.servers[name])
		list = append(list, downstream.Server{Name: name, Source: fmt.Sprint(tools), Trust: tooldef.TrustAuto, Load: func(context.Context) (*mcp.Server, []string, error) {
			s := mcp.NewServer(&mcp.Implementation{Name: name, Version: strconv.Itoa(tools[""])}, nil)
			for tool, version := range tools {
				if tool == "" {
					continue
				}
				required := []string{`"text"`, `"text","count"`, ``}[version%3]
				s.AddTool(&mcp.Tool{
					Name: tool, Description: fmt.Sprintf("Version %d moves %s", version, []string{"walruses", "harbours", "violins", "glaciers"}[version%4]),
					InputSchema:  json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"count":{"type":"integer"}},"required":[` + required + `]}`),
					OutputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"version":{"const":%d}},"required":["version"]}`, version)),
				}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{StructuredContent: json.RawMessage(fmt.Sprintf(`{"version":%d}`, version))}, nil
				})
			}
			return s, nil, nil
		}})
	}
	return list
}

// one is one of some names.
func (w *coldWorld) one(names ...string) string { return names[w.IntN(len(names))] }

func (w *coldWorld) graphName() string { return w.one("anchor", "beacon", "candle", "dredge") }

// text is a graph, which may have faults, or a tool or graph that there is none of.
func (w *coldWorld) text(name string) string {
	secret := "nothing"
	if n := len(w.secrets); n > 0 {
		secret = w.secrets[w.IntN(n)].Value
	}
	node := w.one(
		`{id: it, type: transform, transform: {expr: '{"said": $.entry.text & "`+secret+`"}'}, next: exit}`,
		`{id: it, type: mcp, server: `+w.one("north", "south")+`, tool: `+w.one("lift", "lower")+`, args: {text: {expr: $.entry.text}}, next: exit}`,
		`{id: it, type: graph, graph: `+w.graphName()+`, args: {text: again}, next: exit}`,
		`{id: it, type: transform, transform: {expr: '$.nowhere.text'}, next: exit}`,
	)
	return "name: " + name + "\ndescription: " + w.one("Signals to ships", "Paints a fence", "Keeps "+secret) +
		"\ninputSchema: {type: object, properties: {text: {type: string}}}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: it}\n  - " + node + "\n  - {id: exit, type: exit, result: {expr: $.it}}\n"
}

// change changes something, lets a Patchbay know of it, and says what.
func (w *coldWorld) change(pb *app.App) string {
	defer w.settle(pb)
	name := w.graphName()
	path := filepath.Join(w.graphs(), name+".yaml")
	server := w.one("north", "south")
	switch w.IntN(9) {
	case 0:
		if err := os.MkdirAll(w.graphs(), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.text(name)), 0o600); err != nil {
			w.Fatal(err)
		}
		return "the file of " + name + " is written"
	case 1:
		_, _ = pb.Save(w.Context(), library.SaveInput{GraphInput: plans.FromText(name, w.text(name), ""), Overwrite: true}) // it may have faults
		return name + " is saved"
	case 2:
		_ = os.Remove(path)
		return "the file of " + name + " is removed"
	case 3:
		at := time.Unix(w.Int64N(4_000_000_000), w.Int64N(1_000_000_000))
		_ = os.Chtimes(path, at, at)
		return fmt.Sprint("the file of ", name, " is of ", at)
	case 4:
		if w.servers[server] == nil {
			w.servers[server] = map[string]int{"lift": 0}
		} else {
			delete(w.servers, server)
		}
	case 5, 6, 7:
		tool := w.one("lift", "lower", "")
		switch tools := w.servers[server]; {
		case tools == nil:
			w.servers[server] = map[string]int{"lower": 1}
		case tool != "" && w.IntN(3) == 0:
			delete(tools, tool)
		default:
			tools[tool]++
		}
	default:
		s := secrets.Secret{Name: fmt.Sprint("secret", len(w.secrets)), Value: fmt.Sprintf("hush%08x", w.Uint32())}
		w.secrets = append(w.secrets, s)
		pb.Config().Redactor.Include(secrets.NewRedactor(w.secrets))
		return "a secret is known"
	}
	pb.Hub.Apply(w.list())
	return fmt.Sprint("servers are ", w.servers)
}

// volatile is what differs from one call to the next.
var volatile = regexp.MustCompile(`draft:[0-9a-z]{20,}|run_[0-9A-Z]{10,}|"duration_ms":[0-9.]+|"use":\{[^}]*\}`)

// answers are what a Patchbay answers, with its secrets masked.
func (w *coldWorld) answers(pb *app.App) map[string]string {
	ctx, all := w.Context(), map[string]string{}
	w.ran = nil
	note := func(what string, parts ...any) {
		text, err := json.Marshal(parts)
		if err != nil {
			w.Fatal(what, err)
		}
		all[what] = volatile.ReplaceAllString(string(pb.Config().Redactor.RedactJSON(text)), "…")
	}
	for _, words := range []string{"move walruses", "violins harbours", "signal ships", "paint fence", "lift", "north"} {
		r, fault := pb.Search(ctx, discover.SearchInput{Query: words})
		note("search "+words, r, fault)
	}
	types, fault := pb.Types(ctx, discover.TypesInput{})
	note("types", types, fault)
	details, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "mcp:north/lift"}, {ID: "mcp:south/lower"}, {ID: "graph:anchor"}, {ID: "graph:beacon"}}, Detail: "full"})
	note("details", details, fault)
	graphs, fault := pb.Graphs(ctx, library.GraphsInput{All: true})
	note("graphs", graphs, fault)
	note("published", pb.GraphTools.List())
	for _, name := range []string{"anchor", "beacon", "candle", "dredge"} {
		text, fault := pb.GetGraph(ctx, library.GetGraphInput{Name: name})
		note("text of "+name, text, fault)
		checked, fault := pb.Validate(ctx, author.ValidateInput{GraphInput: plans.FromText("", strings.Replace(calls, "GRAPH", name, 1), "")})
		note("check of a call of "+name, checked, fault)
		ran, fault := pb.CallGraph(ctx, name, json.RawMessage(`{"text":"hello"}`))
		if fault == nil {
			w.ran = append(w.ran, ran.RunID)
		}
		note("run of "+name, ran, fault)
	}
	for i, id := range w.stored {
		record, fault := pb.GetRun(ctx, execution.GetRunInput{RunID: id})
		step, stepFault := pb.GetRun(ctx, execution.GetRunInput{RunID: id, Node: "it"})
		note(fmt.Sprint("stored run ", i), record, fault, step, stepFault)
	}
	return all
}

// calls calls a tool and a saved graph.
const calls = `name: calls
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: tool}
  - {id: tool, type: mcp, server: north, tool: lift, args: {text: a}, next: graph}
  - {id: graph, type: graph, graph: GRAPH, args: {text: b}, next: exit}
  - {id: exit, type: exit}
`
