package around

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/run"
)

// Scripts executes and checks the scripts of hooks. Its processes start with the
// first script.
type Scripts struct {
	modules *hookModules
	secrets map[string]string
	pool    func() *hooks.Pool

	mu      sync.Mutex
	started *hooks.Pool
	closed  bool
	checked *cache.Cache[string, []engine.ScriptFault] // by the text of a script
}

var _ engine.Hooks = (*Scripts)(nil)

// HookOptions are those of the scripts of hooks.
type HookOptions struct {
	ModulesDir string              // has the hook modules, and may not exist; "" has none
	Secrets    map[string]string   // what scripts see as secrets.NAME
	Redact     func(string) string // masks secrets in what scripts log and throw; nil masks none
}

// newScripts returns what executes the scripts of hooks. No process starts before the first script.
func newScripts(o HookOptions, beside *config.Beside, log *slog.Logger) *Scripts {
	h := &Scripts{modules: &hookModules{dir: o.ModulesDir, beside: beside}, secrets: o.Secrets, checked: cache.New[string, []engine.ScriptFault](maxChecked)}
	h.pool = func() *hooks.Pool {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.started == nil {
			h.started = hooks.NewPool(&hooks.Options{Log: log, Redact: o.Redact})
			if h.closed {
				h.started.Close()
			}
		}
		return h.started
	}
	return h
}

// close ends the processes.
func (h *Scripts) close() {
	h.mu.Lock()
	h.closed = true
	started := h.started
	h.mu.Unlock()
	if started != nil {
		started.Close()
	}
}

// CallTool executes the script of a call of [run.HookServer].
func (h *Scripts) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	var args struct {
		Script    string          `json:"script"`
		Module    string          `json:"module"`
		Context   json.RawMessage `json:"context"`
		TimeoutMs int64           `json:"timeoutMs"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, notSent(diag.Faultf(diag.CodeBadRequest, "the call of a hook cannot be read: %w", err))
	}
	if args.Module != "" {
		text, fault := h.modules.read(args.Module)
		if fault != nil {
			return nil, notSent(fault)
		}
		args.Script = text
	}
	answer, err := h.pool().Run(ctx, &hooks.Job{
		Name: c.Tool, Script: args.Script, Context: args.Context, Secrets: h.secrets, Timeout: time.Duration(args.TimeoutMs) * time.Millisecond,
	})
	if f, ok := errors.AsType[*hooks.Failure](err); ok {
		b, err := json.Marshal(f)
		return &run.Result{Structured: b, IsError: true}, err
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, notSent(unavailable(err))
	}
	b, err := json.Marshal(answer)
	return &run.Result{Structured: b}, err
}

func notSent(fault *diag.Fault) error { return &run.CallError{Outcome: run.CallNotSent, Err: fault} }

var codeScriptsUnavailable = diag.DefineFault("scripts-unavailable", diag.FailsAttempt, "no process can be started for the scripts of hooks", "the message says why; a program that embeds Patchbay calls [`patchbay.HookWorker`](workflows.md#scripts)")

// unavailable is the fault of a script that no process can execute.
func unavailable(err error) *diag.Fault {
	return diag.Faultf(codeScriptsUnavailable, "%w", err).
		WithHint("scripts execute in processes of the program's own binary, which it must be able to start; a program that embeds Patchbay calls patchbay.HookWorker first")
}

// Modules implements [engine.Hooks].
func (h *Scripts) Modules() []string { return h.modules.names() }

// ModuleFault implements [engine.Hooks].
func (h *Scripts) ModuleFault(name string) string {
	text, fault := h.modules.read(name)
	if fault != nil {
		return fault.Message
	}
	for _, f := range h.CheckScript(text) {
		return f.Message
	}
	return ""
}

// maxChecked is how many scripts are known to have been checked.
const maxChecked = 1000

// CheckScript implements [engine.Hooks]. A script that cannot be checked, since no process
// can be started, has no faults: its execution says why.
func (h *Scripts) CheckScript(script string) []engine.ScriptFault {
	found, known := h.checked.Get(script)
	if known {
		return found
	}
	failed, err := h.pool().Check(context.Background(), script)
	if err != nil {
		return nil
	}
	if failed != nil {
		start, end := spanAt(script, failed.Line, failed.Column)
		found = []engine.ScriptFault{{Start: start, End: end, Message: failed.Message}}
	}
	h.checked.Add(script, found)
	return found
}

// spanAt is the word, or the character, at a place of a text: line and column from 1 in
// characters. It is the whole text where the place is not known.
func spanAt(text string, line, column int) (start, end int) {
	if line < 1 {
		return 0, len(text)
	}
	for ; line > 1; line-- {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	for ; column > 1 && start < len(text) && text[start] != '\n'; column-- {
		_, size := utf8.DecodeRuneInString(text[start:])
		start += size
	}
	for end = start; end < len(text); {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' {
			break
		}
		end += size
	}
	if end == start && start < len(text) {
		_, size := utf8.DecodeRuneInString(text[start:])
		end += size
	}
	return start, end
}
