package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A presenter is how a command differs from what follows from its operation. The zero
// presenter starts the servers, waits briefly for them, and prints the result as JSON.
type presenter struct {
	long, example string
	brief         bool     // what servers would add to the result is not waited for long
	several       bool     // its one argument may be repeated: the operation is called for each
	unless        []string // flags that are given in place of the arguments

	// start opens the App, with the servers that the command needs.
	start func(*invocation) (*app.App, error)
	// extend adds flags that are not the input's own. What it returns completes the
	// input with them.
	extend func(*cobra.Command) func(*invocation) error
	// words takes some of the arguments, and returns the others. It sees the flags.
	words func(*invocation, []string) []string
	// finish does what remains when the operation is done, such as to write a file.
	finish func(*invocation) error
	// failed reports whether the exit code is 1 for a result that has not failed for
	// a client of MCP.
	failed func(*invocation) bool
	// missing reports whether the result says that something asked for is not there.
	missing func(*invocation) bool
	// print writes the result for people.
	print func(*invocation, *page)
	// summary makes one result of those of several files.
	summary func([]*invocation) result
	// names are those of what the result lists or has made.
	names func(*invocation) []string
}

// presenters are the commands that have one, by the words of the command.
var presenters = map[string]presenter{
	"search": searchPresenter, "types": typesPresenter, "show": showPresenter,
	"validate": validatePresenter, "edit": editPresenter, "export": exportPresenter, "eval": evalPresenter,
	"run": runPresenter, "call": callPresenter,
	"runs list": runsListPresenter, "runs show": runsShowPresenter, "runs logs": runsLogsPresenter, "runs resume": runsResumePresenter, "runs answer": runsAnswerPresenter,
	"runs cancel": runsCancelPresenter, "runs replay": runsReplayPresenter, "runs save-test": runsSaveTestPresenter, "runs prune": runsPrunePresenter, "runs adopt": runsAdoptPresenter,
	"state list": stateListPresenter, "state delete": stateDeletePresenter,
	"models list": modelsListPresenter, "models test": modelsTestPresenter,
	"hooks list": hooksListPresenter, "hooks show": hooksShowPresenter, "hooks add": hooksAddPresenter, "hooks remove": hooksRemovePresenter,
	"graphs list": graphsListPresenter, "graphs show": graphsShowPresenter, "graphs save": graphsSavePresenter, "graphs restore": graphsRestorePresenter, "graphs approve": graphsApprovePresenter, "graphs fix": graphsFixPresenter, "graphs delete": graphsDeletePresenter,
	"workflow list": workflowListPresenter, "workflow show": workflowShowPresenter, "workflow enable": workflowSwitchPresenter("on"), "workflow disable": workflowSwitchPresenter("off"),
	"workflow import": workflowImportPresenter, "workflow export": workflowExportPresenter, "workflow test": workflowTestPresenter,
	"mcp list": mcpListPresenter, "mcp info": mcpInfoPresenter, "mcp sync": mcpSyncPresenter, "mcp approve": mcpApprovePresenter, "mcp logs": mcpLogsPresenter,
}

// groups are the words that several commands begin with: what they are about, an
// example and, if there is more to say, a longer text.
var groups = map[string][3]string{
	"runs": {
		"Inspect stored runs and resume stopped ones", "  patchbay runs list --status failed\n  patchbay runs show latest:failed",
		"Inspect stored runs and resume stopped ones. A run is named by its ID, by at least four characters of the beginning or the end of one, by latest, or by latest:STATUS, such as latest:failed.",
	},
	"graphs":   {"Saved graphs: list, show, save, add, restore, fix, delete", "  patchbay graphs list\n  patchbay graphs save count_files.yaml"},
	"state":    {"State of graphs: list, delete", "  patchbay state list new_issues\n  patchbay state delete new_issues seen"},
	"workflow": {"Workflows around calls: list, show, test, switch, import, export", "  patchbay workflow list\n  patchbay workflow test"},
	"models":   {"Models that graphs can ask: list, test", "  patchbay models list\n  patchbay models test fast"},
	"hooks":    {"Hook modules: list, show, add, remove", "  patchbay hooks add redact.js\n  patchbay hooks list"},
	"mcp":      {"Downstream MCP servers", "  patchbay mcp list\n  patchbay mcp add npm:@modelcontextprotocol/server-memory"},
}

// aliases are other names of commands, as other programs have them.
var aliases = map[string][]string{"list": {"ls"}, "delete": {"rm"}}

// An invocation is one call of an operation by its command.
type invocation struct {
	*flags
	presenter presenter
	operation app.Operation
	fields    []app.Field
	cmd       *cobra.Command
	app       *app.App
	in, out   any // pointers to the operation's input and result

	places   places
	sources  []func(*cobra.Command) error // read what flags give as - or @FILE
	pairs    []pair                       // arguments on the command line
	stdinKey string                       // --stdin: the argument whose text is standard input
}

// operationCommands are the commands of the operations, and the others of their groups.
func (f *flags) operationCommands() []*cobra.Command {
	var top []*cobra.Command
	parents := map[string]*cobra.Command{}
	own := map[string]func(*flags) *cobra.Command{"mcp add": mcpAddCommand, "mcp login": mcpLoginCommand} // a person types more than the operation takes
	for _, o := range app.Operations() {
		group, name, grouped := strings.Cut(o.Command, " ")
		switch {
		case o.Command == "":
		case !grouped:
			top = append(top, f.operationCommand(o, group))
		default:
			if parents[group] == nil {
				parents[group] = groupCommand(group, groups[group][0], groups[group][1])
				parents[group].Long = groups[group][2]
				top = append(top, parents[group])
			}
			if own[o.Command] != nil {
				parents[group].AddCommand(own[o.Command](f))
				continue
			}
			parents[group].AddCommand(f.operationCommand(o, name))
		}
	}
	// These are not operations: an agent must not remove servers.
	parents["mcp"].AddCommand(mcpRemoveCommand(f), mcpFindCommand(f), mcpLogoutCommand(f), mcpToolsCommand(f))
	parents["graphs"].AddCommand(graphsAddCommand(f))
	parents["runs"].AddCommand(runsWatchCommand(f), runsTrustCommand(f))
	return top
}

func (f *flags) operationCommand(o app.Operation, name string) *cobra.Command {
	i := &invocation{flags: f, presenter: presenters[o.Command], operation: o, fields: o.Fields(), in: o.NewInput()}
	places := fieldPlaces(i.fields)
	if i.presenter.several {
		places[0].many = true
		places[0].Arg += "…"
	}
	i.cmd = &cobra.Command{
		Use:   strings.Join(append([]string{name}, places.usage()...), " "),
		Short: o.Summary, Long: i.presenter.long, Example: i.presenter.example, Aliases: aliases[name],
	}
	addFlags(i.cmd.Flags(), i.fields, i.in, &i.sources)
	if slices.Contains(readOnlyCommands, o.Command) || slices.Contains(resumes, o.Command) {
		f.connectFlag(i.cmd.Flags())
	}
	if places.takeArguments() {
		i.cmd.Flags().StringVar(&i.stdinKey, "stdin", "", "the argument `KEY` is the text of standard input")
	}
	if len(places) == 1 {
		for _, other := range places[0].Unless {
			i.presenter.unless = append(i.presenter.unless, strings.ReplaceAll(other, "_", "-"))
		}
	}
	i.cmd.Args = checkArguments(i.presenter.unless...)
	complete := func(*invocation) error { return nil }
	if i.presenter.extend != nil {
		complete = i.presenter.extend(i.cmd)
	}
	i.cmd.RunE = func(_ *cobra.Command, args []string) error {
		if i.presenter.several && len(args) > 1 {
			return i.callForEach(places[0], args)
		}
		if i.presenter.words != nil {
			args = i.presenter.words(i, args)
		}
		files, err := i.place(places, args)
		if err != nil {
			return err
		}
		if err := complete(i); err != nil {
			return err
		}
		return i.run(files)
	}
	return i.cmd
}

// nameRun replaces what a person writes for runs by their IDs.
func (i *invocation) nameRun(pb *app.App) error {
	for _, f := range i.fields {
		field := reflect.ValueOf(i.in).Elem().FieldByIndex(f.Index)
		var named []reflect.Value
		switch f.Name {
		case "run_id":
			named = []reflect.Value{field}
		case "from_calls":
			for n := range field.Len() {
				named = append(named, field.Index(n))
			}
		}
		for _, name := range named {
			if name.String() == "" {
				continue
			}
			id, fault := pb.RunID(i.cmd.Context(), name.String())
			if fault != nil {
				return fault
			}
			name.SetString(id)
		}
	}
	return nil
}

// call does the operation and prints its result. The error is errFailed where the
// result says that what was asked was not done.
func (i *invocation) call() error {
	if err := i.do(); err != nil {
		return err
	}
	if err := i.print(i.cmd, i.result()); err != nil {
		return err
	}
	return i.outcome()
}

// do does the operation, and what remains when it is done.
func (i *invocation) do() error {
	ctx := i.cmd.Context()
	if i.presenter.brief {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, i.optionalWait)
		defer cancel()
	}
	ctx = i.asking(ctx)
	stop := i.watchCall()
	out, fault := i.operation.Call(ctx, i.app, i.in)
	stop()
	if fault != nil {
		return fault
	}
	i.out = out
	if fault := i.answerCalls(ctx); fault != nil {
		return fault
	}
	if i.presenter.finish != nil {
		return i.presenter.finish(i)
	}
	return nil
}

// outcome is the error by which a command ends that has printed its result.
func (i *invocation) outcome() error {
	if r, ok := i.out.(*execution.RunResult); ok && len(r.Asks) > 0 {
		return errWaits
	}
	if f, ok := i.out.(interface{ Failed() bool }); ok && f.Failed() || i.presenter.failed != nil && i.presenter.failed(i) {
		return errFailed
	}
	if i.presenter.missing != nil && i.presenter.missing(i) {
		return errMissing
	}
	return nil
}

// result is what the command prints.
func (i *invocation) result() result {
	r := result{value: i.out, text: i.text}
	if i.presenter.names != nil {
		r.names = func() []string { return i.presenter.names(i) }
	}
	return r
}

// text writes the result for people.
func (i *invocation) text(w *page) {
	if i.presenter.print != nil {
		i.presenter.print(i, w)
		return
	}
	b, err := json.MarshalIndent(i.out, "", "  ")
	if err == nil {
		fmt.Fprintln(w, string(b))
	}
}

// printing adapts the function that prints a result of one type.
func printing[Out any](text func(*page, *Out)) func(*invocation, *page) {
	return func(i *invocation, w *page) { text(w, i.out.(*Out)) }
}

// ready opens the App and waits for the servers that are starting.
func ready(l limit) func(*invocation) (*app.App, error) {
	return func(i *invocation) (*app.App, error) { return i.openReady(i.cmd.Context(), i.cmd.ErrOrStderr(), l) }
}

// started opens the App and waits for no server: a run waits for those it calls.
func started(i *invocation) (*app.App, error) {
	return i.openApp(i.cmd)
}

// withCached opens the App with the tools of the cached lists. A server without one is
// started when a node of it is needed.
func withCached(i *invocation) (*app.App, error) {
	p, err := offline(i)
	if err == nil {
		p.LoadCached()
	}
	return p, err
}

// withListed opens the App with the tools of the cached lists, and of the servers without
// one, which it starts.
func withListed(i *invocation) (*app.App, error) { return i.listed(untilListed) }

// withSome is withListed that does not wait long: a graph waits for the servers that it
// names.
func withSome(i *invocation) (*app.App, error) { return i.listed(briefly) }

func (i *invocation) listed(l limit) (*app.App, error) {
	p, err := offline(i)
	if err != nil {
		return nil, err
	}
	missing := p.LoadCached()
	if len(missing) == 0 {
		return p, nil
	}
	ctx := i.cmd.Context()
	p.Start(ctx, missing...)
	return p, i.await(ctx, p, func(f *flags, s downstream.Status) time.Duration {
		if !slices.Contains(missing, s.Name) {
			return 0
		}
		return l(f, s)
	})
}

// offline opens the App and starts a server only when a node of it is needed.
func offline(i *invocation) (*app.App, error) {
	i.offline = true
	return started(i)
}
