package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay"
)

// An arm is a way in which a model does a task.
type arm struct {
	name  string
	about string // what the model is told of its way
	// prepare does what was done before, such as to save the graph.
	prepare func(context.Context, *place, *task) error
	tools   func(context.Context, *place) ([]tool, error)
	call    func(ctx context.Context, p *place, name string, arguments json.RawMessage) string
	// config is the file with the MCP servers for an agent's command line; nil where the
	// way needs tools that this cannot give.
	config func(*place) ([]byte, error)
	env    func(*place) []string // what such an agent has besides
	// again runs what the model made once more, at another place, and returns the result;
	// nil where the model makes nothing that could be run again.
	again func(ctx context.Context, made, at *place, t *task) (string, error)
}

var arms = []arm{
	{
		name: "direct", about: "Call the tools.",
		tools: func(ctx context.Context, p *place) ([]tool, error) { return p.directTools(ctx) },
		call: func(ctx context.Context, p *place, name string, arguments json.RawMessage) string {
			return p.callDirect(ctx, name, arguments)
		},
		config: func(p *place) ([]byte, error) {
			addresses := map[string]string{}
			for name, port := range p.ports {
				addresses[name] = port.addr()
			}
			return serversFile(addresses)
		},
	},
	{
		name: "search", about: "search_nodes finds tools, run_node calls one.",
		tools: func(ctx context.Context, p *place) ([]tool, error) {
			return p.ownTools(ctx, "search_nodes", "run_node", "get_run")
		},
		call: ownCall,
	},
	{
		name: "script", about: "Read the functions in tools.ts, then write a JavaScript module that imports them and prints the answer, and run it with Node. The last script that you run is kept, and used again when there are other items: save it as " + scriptFile + " if you write files.",
		prepare: exportFunctions,
		tools: func(context.Context, *place) ([]tool, error) {
			nothing := map[string]any{"type": "object", "properties": map[string]any{}}
			script := map[string]any{"type": "object", "properties": map[string]any{"script": map[string]any{"type": "string"}}, "required": []string{"script"}}
			return []tool{newTool("read_functions", "Returns tools.ts: typed functions, grouped by server.", nothing), newTool("run_script", "Runs a JavaScript module next to tools.ts with Node, and returns what it prints.", script)}, nil
		},
		call:   scriptCall,
		config: func(*place) ([]byte, error) { return serversFile(nil) },
		env:    (*place).scriptEnv,
		again: func(ctx context.Context, made, at *place, t *task) (string, error) {
			script, err := os.ReadFile(filepath.Join(made.dir, scriptFile))
			if err == nil {
				err = exportFunctions(ctx, at, t)
			}
			if err != nil {
				return "", err
			}
			return runScript(ctx, at, string(script)), nil
		},
	},
	{
		name: "saved", about: "A saved graph is among the tools.",
		prepare: saveTheGraph,
		tools:   func(ctx context.Context, p *place) ([]tool, error) { return p.ownTools(ctx) },
		call:    ownCall,
		config:  ownConfig,
	},
	written("graph", "Write a graph that does it, save it as a tool of the name that the user gives, and call that. It is used again when there are other items."),
	written("code", "Write a JavaScript function that does it: validate_graph, run_graph and save_graph take it where they take a graph, and get_node_details of idiom:guide/code says what it may have. Save it as a tool of the name that the user gives, and call that. It is used again when there are other items."),
}

// written is a way in which the model writes and saves a tool.
func written(name, about string) arm {
	return arm{
		name: name, about: about,
		tools:  func(ctx context.Context, p *place) ([]tool, error) { return p.ownTools(ctx) },
		call:   ownCall,
		config: ownConfig,
		again: func(ctx context.Context, made, at *place, t *task) (string, error) {
			text, err := os.ReadFile(filepath.Join(made.dir, "graphs", t.Name+".yaml"))
			if err != nil {
				return "", fmt.Errorf("no graph %s is saved: %w", t.Name, err)
			}
			r, err := at.app.Run(ctx, patchbay.RunInput{GraphInput: patchbay.FromText(t.Name, string(text), "")})
			if err != nil {
				return "", err
			}
			return string(r.Result), nil
		},
	}
}

func ownConfig(p *place) ([]byte, error) {
	return serversFile(map[string]string{"patchbay": p.scripts.addr()})
}

// saveTheGraph saves the graph of a task. On a busy machine a server may take more than
// one try to start.
func saveTheGraph(ctx context.Context, p *place, t *task) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		r, err := p.app.Save(ctx, patchbay.SaveInput{GraphInput: patchbay.FromText(t.Name, t.Graph, "")})
		if err != nil || !r.Failed() {
			return err
		}
		starting := false
		for _, d := range r.Diagnostics {
			starting = starting || d.Code == "server-starting"
		}
		if !starting || ctx.Err() != nil {
			return fmt.Errorf("the graph %s cannot be saved: %s", t.Name, r.Rendered)
		}
	}
}

// ownTools are the tools of Patchbay, all or the named ones. Some that are named need not
// be listed.
func (p *place) ownTools(ctx context.Context, names ...string) ([]tool, error) {
	res, err := p.client.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	var list []tool
	for _, t := range res.Tools {
		if len(names) == 0 || slices.Contains(names, t.Name) {
			list = append(list, newTool(t.Name, t.Description, t.InputSchema))
		}
	}
	return list, nil
}

func ownCall(ctx context.Context, p *place, name string, arguments json.RawMessage) string {
	text, err := call(ctx, p.client, name, arguments)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

const (
	functionsFile = "tools.ts"
	scriptFile    = "script.mjs"
	maxOutput     = 20_000 // bytes of what a script prints that the model reads
	maxScript     = 2 * time.Minute
)

// exportFunctions writes the functions that the scripts of a task import.
func exportFunctions(ctx context.Context, p *place, _ *task) error {
	r, err := p.app.Export(ctx, patchbay.ExportInput{Format: "typescript"})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, functionsFile), []byte(r.Code), 0o600)
}

// nodeRunsTypeScript reports whether Node is there and runs TypeScript as it is.
func nodeRunsTypeScript(ctx context.Context) bool {
	return exec.CommandContext(ctx, "node", "--eval", "process.exit(process.features.typescript ? 0 : 1)").Run() == nil
}

// scriptCall reads the functions, or runs a script, which it keeps. The functions were
// exported before the model began; when it reads them again, they are exported again.
func scriptCall(ctx context.Context, p *place, name string, arguments json.RawMessage) string {
	if name == "read_functions" {
		var err error
		if p.hasRead {
			err = exportFunctions(ctx, p, nil)
		}
		p.hasRead = true
		b, unread := os.ReadFile(filepath.Join(p.dir, functionsFile))
		if err = errors.Join(err, unread); err != nil {
			return "error: " + err.Error()
		}
		return string(b)
	}
	var in struct{ Script string }
	if err := json.Unmarshal(arguments, &in); err != nil || in.Script == "" {
		return "error: the argument script is missing"
	}
	return runScript(ctx, p, in.Script)
}

// runScript writes a script into the folder of the place, runs it there, and returns what
// it prints.
func runScript(ctx context.Context, p *place, script string) string {
	file := filepath.Join(p.dir, scriptFile)
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return "error: " + err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, maxScript)
	defer cancel()
	c := exec.CommandContext(ctx, "node", "--no-warnings", file)
	c.Dir = p.dir
	c.Env = append(os.Environ(), p.scriptEnv()...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		fmt.Fprintln(&out, "error:", err)
	}
	return string(out.Bytes()[:min(out.Len(), maxOutput)])
}

// scriptEnv is the environment in which exported functions find Patchbay.
func (p *place) scriptEnv() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{"PATCHBAY=" + self, addrEnv + "=" + p.scripts.addr()}
}
