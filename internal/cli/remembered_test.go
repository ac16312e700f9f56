package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// counting is a downstream server that has the tools of a file, and appends the name of each
// that is called to another. It serves once a connection has ended, if it is given one.
func counting() {
	tools, calls, gate := flag.String("tools", "", "file"), flag.String("calls", "", "file"), flag.String("gate", "", "address")
	flag.Parse()
	if *gate != "" {
		if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", *gate); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}
	text, _ := os.ReadFile(*tools)
	var list []*mcp.Tool
	_ = json.Unmarshal(text, &list)
	s := mcp.NewServer(&mcp.Implementation{Name: "counting", Version: "1"}, nil)
	for _, tool := range list {
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			f, err := os.OpenFile(*calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, err
			}
			_, err = f.WriteString(tool.Name + "\n")
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{}`)}, errors.Join(err, f.Close())
		})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

const (
	listedTools  = `[{"name":"write_note","inputSchema":{"type":"object"}},{"name":"send_report","inputSchema":{"type":"object"}}]`
	withoutSend  = `[{"name":"write_note","inputSchema":{"type":"object"}}]`
	changedSend  = `[{"name":"write_note","inputSchema":{"type":"object"}},{"name":"send_report","inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}}]`
	brokenSend   = `[{"name":"write_note","inputSchema":{"type":"object"}},{"name":"send_report","inputSchema":{"type":"object","required":["to"]}}]` // the graphs give no to
	reportNodes  = "  - {id: note, type: mcp, server: notes, tool: write_note, args: {}, next: send}\n  - {id: send, type: mcp, server: notes, tool: send_report, args: {}, next: exit}\n"
	graphOfNodes = "inputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n"
)

// A remembering has a project with a counting server, whose list of tools is cached.
type remembering struct {
	dir, calls string
	gate       net.Listener
}

func newRemembering(t *testing.T) *remembering {
	t.Helper()
	newFolder(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "patchbay.yaml", "servers:\n  notes: {command: counting, args: [-tools, tools.json, -calls, calls, -gate, '"+l.Addr().String()+"'], trust: auto}\n"+
		"graphs: {dir: graphs}\nwebhooks:\n  hook: {graph: report}\nschedules: [{graph: report, cron: '@every 1s'}]\n")
	write(t, "graphs/report.yaml", "name: report\n"+graphOfNodes+"  - {id: entry, type: entry, next: note}\n"+reportNodes+"  - {id: exit, type: exit}\n")
	write(t, "graphs/outer.yaml", "name: outer\n"+graphOfNodes+"  - {id: entry, type: entry, next: first}\n  - {id: first, type: mcp, server: notes, tool: write_note, args: {}, next: inner}\n  - {id: inner, type: graph, graph: report, args: {}, next: exit}\n  - {id: exit, type: exit}\n")
	write(t, "graphs/asked.yaml", "name: asked\n"+graphOfNodes+"  - {id: entry, type: entry, next: ask}\n  - {id: ask, type: ask, message: Go on?, schema: {type: object, properties: {}}, next: note}\n"+reportNodes+"  - {id: exit, type: exit}\n")
	return &remembering{dir: dir, calls: filepath.Join(dir, "calls"), gate: l}
}

// open opens the project. Its server answers when release is called.
func (m *remembering) open(t *testing.T, onEvent func(run.Notice)) (pb *app.App, release func()) {
	t.Helper()
	return m.openWith(t, app.Setup{OnEvent: onEvent, RecoverDelay: time.Millisecond})
}

func (m *remembering) openWith(t *testing.T, s app.Setup) (pb *app.App, release func()) {
	t.Helper()
	cfg, found, err := config.Load(config.Options{Dir: m.dir, Environ: os.LookupEnv})
	if err != nil || found.HasErrors() {
		t.Fatal(err, found)
	}
	if pb, err = app.Open(t.Context(), cfg, s); err != nil {
		t.Fatal(err)
	}
	pb.Start(t.Context())
	return pb, sync.OnceFunc(func() {
		if c, err := m.gate.Accept(); err == nil {
			_ = c.Close()
		}
	})
}

// openListed opens the project when its server has all tools, and has listed them.
func (m *remembering) openListed(t *testing.T) *app.App {
	t.Helper()
	write(t, "tools.json", listedTools)
	pb, release := m.open(t, nil)
	release()
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return time.Minute }); err != nil {
		t.Fatal(err)
	}
	return pb
}

// person is the context of the person at the machine.
func person(t *testing.T) context.Context {
	return request.WithActor(t.Context(), run.Actor{Operator: true, Principal: "local"})
}

// TestNothingIsCalledOnARememberedList: a server has another list of tools than the one that
// is cached, which comes after the run has begun. The run makes none of its calls, also not
// those before the tool that is gone or has changed.
func TestNothingIsCalledOnARememberedList(t *testing.T) {
	m := newRemembering(t)
	failed := func(r *execution.RunResult, fault *diag.Fault) *diag.Fault {
		if fault != nil {
			return fault
		}
		return r.Error
	}
	asked := ""
	ways := map[string]func(pb *app.App, ctx context.Context) *diag.Fault{
		"a graph": func(pb *app.App, ctx context.Context) *diag.Fault {
			return failed(pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Text: text(t, "graphs/report.yaml")}}))
		},
		"a saved graph": func(pb *app.App, ctx context.Context) *diag.Fault {
			return failed(pb.Run(ctx, execution.RunInput{Saved: "report"}))
		},
		"a tool that is a graph": func(pb *app.App, ctx context.Context) *diag.Fault {
			return failed(pb.CallGraph(ctx, "report", json.RawMessage(`{}`)))
		},
		"a graph in a graph": func(pb *app.App, ctx context.Context) *diag.Fault {
			return failed(pb.Run(ctx, execution.RunInput{Saved: "outer"}))
		},
		"run_node": func(pb *app.App, ctx context.Context) *diag.Fault {
			r, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: "mcp:notes/send_report"})
			if fault != nil {
				return fault
			}
			return r.Error
		},
		"a webhook": func(pb *app.App, ctx context.Context) *diag.Fault {
			r, fault := pb.Webhooks.Named("hook").Start(request.WithClient(ctx, request.Client{Wait: time.Minute}), nil)
			return failed(r, fault)
		},
		"a resumed run": func(pb *app.App, ctx context.Context) *diag.Fault {
			return failed(pb.Answer(ctx, execution.AnswerInput{RunID: asked, Action: "accept", Content: json.RawMessage(`{}`)}))
		},
		"the gateway": func(pb *app.App, ctx context.Context) *diag.Fault {
			_, err := pb.CallDownstream(ctx, execution.GatewayCall{Server: "notes", Tool: "send_report"})
			fault, _ := errors.AsType[*diag.Fault](err)
			return fault
		},
	}
	for what, tools := range map[string]string{"has no tool": withoutSend, "has changed since its list was read last: its inputSchema": changedSend} {
		for way, do := range ways {
			t.Run(way+" "+what[:8], func(t *testing.T) {
				pb := m.openListed(t)
				r, fault := pb.Run(person(t), execution.RunInput{Saved: "asked"})
				if fault != nil || len(r.Asks) != 1 {
					t.Fatalf("%+v %v", r, fault)
				}
				asked = r.RunID
				pb.Close()

				write(t, "tools.json", tools)
				var begun func()
				pb, release := m.open(t, func(run.Notice) { begun() })
				begun = release
				if way == "the gateway" {
					go release()
				}
				fault = do(pb, person(t))
				pb.Close()
				if fault == nil || !strings.Contains(fault.Message, what) || !strings.Contains(fault.Message, "send_report") || !strings.Contains(fault.Message, "Nothing was called") && way != "the gateway" {
					t.Errorf("the fault is %+v", fault)
				}
				if b, err := os.ReadFile(m.calls); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("called: %s %v", b, err)
				}
			})
		}
	}
}

// logLines has each line that is logged.
type logLines chan string

func (l logLines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// TestAScheduleCallsNothingOnARememberedList: the first run of a schedule in a process makes
// no call if a tool is gone or has changed since the list that is cached. It is the only
// schedule of the project, so what is logged of one is about it.
func TestAScheduleCallsNothingOnARememberedList(t *testing.T) {
	m := newRemembering(t)
	for what, tools := range map[string]string{"gone": withoutSend, "changed": brokenSend} {
		t.Run(what, func(t *testing.T) {
			write(t, "patchbay.yaml", strings.Replace(text(t, "patchbay.yaml"), "trust: auto", "trust: pin", 1)) // a change waits for approval
			m.openListed(t).Close()
			write(t, "tools.json", tools)
			lines := make(logLines, 1000)
			pb, release := m.openWith(t, app.Setup{Log: slog.New(slog.NewTextHandler(lines, nil))})
			pb.RunSchedules()
			release()
			said := ""
			for !strings.Contains(said, "schedule=") {
				said = <-lines
			}
			pb.Close()
			if !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "send_report") {
				t.Errorf("it says %s", said)
			}
			if b, err := os.ReadFile(m.calls); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("called: %s %v", b, err)
			}
		})
	}
}
