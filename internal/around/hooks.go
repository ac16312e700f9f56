package around

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// HookModulesInput asks for the hook modules.
type HookModulesInput struct{}

// HookModulesResult is the hook modules, sorted by name.
type HookModulesResult struct {
	Modules []HookModule `json:"modules"`
}

// A HookModule is a script that hooks use by its name.
type HookModule struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Bytes  int      `json:"bytes"`
	UsedBy []string `json:"used_by,omitempty"` // names of workflows
	Fault  string   `json:"fault,omitempty"`   // why it cannot be executed, with the place
}

// HookModules lists the hook modules, and checks each.
func (ar *Around) HookModules(context.Context, HookModulesInput) (*HookModulesResult, *diag.Fault) {
	r := &HookModulesResult{Modules: []HookModule{}}
	for _, name := range ar.Hooks.modules.names() {
		m := HookModule{Name: name, Path: ar.Hooks.modules.path(name), UsedBy: ar.moduleUsers(name)}
		text, fault := ar.Hooks.modules.read(name)
		if m.Bytes = len(text); fault != nil {
			m.Fault = fault.Message
		} else {
			m.Fault = ar.Hooks.ModuleFault(name)
		}
		r.Modules = append(r.Modules, m)
	}
	return r, nil
}

// HookModuleInput names a hook module.
type HookModuleInput struct {
	Name string `json:"name" arg:"NAME" jsonschema:"name of the hook module"`
}

// HookModuleResult is a hook module with its text.
type HookModuleResult struct {
	HookModule
	Script string `json:"script"`
}

// HookModule returns the text of a hook module.
func (ar *Around) HookModule(_ context.Context, in HookModuleInput) (*HookModuleResult, *diag.Fault) {
	text, fault := ar.Hooks.modules.read(in.Name)
	if fault != nil {
		fault.Path = "/name"
		return nil, fault
	}
	return ar.hookModule(in.Name, text), nil
}

func (ar *Around) hookModule(name, text string) *HookModuleResult {
	return &HookModuleResult{HookModule{Name: name, Path: ar.Hooks.modules.path(name), Bytes: len(text), UsedBy: ar.moduleUsers(name)}, text}
}

// AddHookModuleInput names the file of a script.
type AddHookModuleInput struct {
	File      string `json:"file" arg:"FILE" jsonschema:"file with the script"`
	Name      string `json:"name,omitempty" jsonschema:"name of the module, instead of that of the file"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace the module of this name"`
}

var (
	codeScriptSyntax   = diag.DefineFault("script-syntax", diag.FailsAttempt, "a script that is to be a hook module is not JavaScript", "correct it at the place in the message")
	codeHookModuleUsed = diag.DefineFault("hook-module-used", diag.FailsAttempt, "a hook module that a workflow uses is not removed", "change the hooks of the workflows first")
)

// AddHookModule makes the script in a file a hook module, unless it has errors of syntax.
func (ar *Around) AddHookModule(ctx context.Context, in AddHookModuleInput) (*HookModuleResult, *diag.Fault) {
	name := in.Name
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(in.File), filepath.Ext(in.File))
	}
	if !moduleName().MatchString(name) {
		return nil, diag.BadArgument("/name", "use letters, digits, dots, _ and -", "%q cannot be the name of a hook module", diag.Excerpt(name))
	}
	text, err := files.ReadText(in.File, hooks.MaxScript)
	if err != nil {
		return nil, diag.BadArgument("/file", "", "%s cannot be read: %s", in.File, err)
	}
	if slices.Contains(ar.Hooks.modules.names(), name) && !in.Overwrite {
		return nil, diag.BadArgument("/overwrite", "overwrite replaces it", "there is a hook module %q", name)
	}
	failed, err := ar.Hooks.pool().Check(ctx, text)
	if err != nil {
		return nil, unavailable(err)
	}
	if failed != nil {
		return nil, diag.Faultf(codeScriptSyntax, "%s cannot be executed: %s", in.File, failed.Message)
	}
	if fault := ar.Hooks.modules.write(name, text); fault != nil {
		return nil, fault
	}
	return ar.hookModule(name, text), nil
}

// RemoveHookModule removes a hook module that no workflow uses.
func (ar *Around) RemoveHookModule(_ context.Context, in HookModuleInput) (*HookModuleResult, *diag.Fault) {
	text, fault := ar.Hooks.modules.read(in.Name)
	if fault != nil {
		fault.Path = "/name"
		return nil, fault
	}
	r := ar.hookModule(in.Name, text)
	if len(r.UsedBy) > 0 {
		return nil, diag.Faultf(codeHookModuleUsed, "the hook module %q is used by the workflows %s", in.Name, diag.OneOf(r.UsedBy, 12)).WithHint("change their hooks first")
	}
	return r, ar.Hooks.modules.remove(in.Name)
}

// moduleUsers lists the workflows that have a hook with a module, those that are disabled or
// have errors too.
func (ar *Around) moduleUsers(module string) (names []string) {
	set := ar.workflows.Load()
	if set == nil {
		return nil
	}
	for _, w := range set.all {
		if w.doc == nil {
			continue
		}
		for _, tool := range w.doc.Tools() {
			for _, n := range tool.Nodes {
				if n.Value.Get("hook").Get("module").Text() == module && !slices.Contains(names, w.name) {
					names = append(names, w.name)
				}
			}
		}
	}
	return names
}
