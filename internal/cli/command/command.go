package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A Presenter is how a command differs from what follows from its operation. The zero
// presenter starts the servers, waits briefly for them, and prints the result as JSON.
type Presenter struct {
	Long, Example string
	Several       bool     // its one argument may be repeated: the operation is called for each
	Unless        []string // flags that are given in place of the arguments

	// Start opens the App, with the servers that the command needs.
	Start func(*Invocation) (*app.App, error)
	// Extend adds flags that are not the input's own. What it returns completes the
	// input with them.
	Extend func(*cobra.Command) func(*Invocation) error
	// Words takes some of the arguments, and returns the others. It sees the flags.
	Words func(*Invocation, []string) []string
	// Finish does what remains when the operation is done, such as to write a file.
	Finish func(*Invocation) error
	// Failed reports whether the exit code is 1 for a result that has not failed for
	// a client of MCP.
	Failed func(*Invocation) bool
	// Missing reports whether the result says that something asked for is not there.
	Missing func(*Invocation) bool
	// Print writes the result for people.
	Print func(*Invocation, *term.Page)
	// Summary makes one result of those of several files.
	Summary func([]*Invocation) Result
	// Names are those of what the result lists or has made.
	Names func(*Invocation) []string
}

// Aliases are other names of commands, as other programs have them.
var Aliases = map[string][]string{"list": {"ls"}, "delete": {"rm"}}

// An Invocation is one call of an operation by its command.
type Invocation struct {
	*Flags
	Presenter Presenter
	Operation app.Operation
	Fields    []app.Field
	Cmd       *cobra.Command
	App       *app.App
	In, Out   any // pointers to the operation's input and result

	places   places
	Sources  []func(*cobra.Command) error // read what flags give as - or @FILE
	pairs    []pair                       // arguments on the command line
	stdinKey string                       // --stdin: the argument whose text is standard input
}

// OperationCommand returns the command of an operation, whose last word is name.
func (f *Flags) OperationCommand(o app.Operation, name string, p Presenter) *cobra.Command {
	i := &Invocation{Flags: f, Presenter: p, Operation: o, Fields: o.Fields(), In: o.NewInput()}
	places := FieldPlaces(i.Fields)
	if i.Presenter.Several {
		places[0].many = true
		places[0].Arg += "…"
	}
	i.Cmd = &cobra.Command{
		Use:   strings.Join(append([]string{name}, places.Usage()...), " "),
		Short: o.Summary, Long: i.Presenter.Long, Example: i.Presenter.Example, Aliases: Aliases[name],
	}
	addFlags(i.Cmd.Flags(), i.Fields, i.In, &i.Sources)
	if slices.Contains(readOnlyCommands, o.Command) || slices.Contains(resumes, o.Command) {
		f.ConnectFlag(i.Cmd.Flags())
	}
	if slices.ContainsFunc(places, func(at Place) bool { return at.Word == ArgumentPlace }) {
		i.Cmd.Flags().StringVar(&i.stdinKey, "stdin", "", "the argument `KEY` is the text of standard input")
	}
	if len(places) == 1 {
		for _, other := range places[0].Unless {
			i.Presenter.Unless = append(i.Presenter.Unless, strings.ReplaceAll(other, "_", "-"))
		}
	}
	i.Cmd.Args = checkArguments(i.Presenter.Unless...)
	complete := func(*Invocation) error { return nil }
	if i.Presenter.Extend != nil {
		complete = i.Presenter.Extend(i.Cmd)
	}
	i.Cmd.RunE = func(_ *cobra.Command, args []string) error {
		if i.Presenter.Several && len(args) > 1 {
			return i.callForEach(places[0], args)
		}
		if i.Presenter.Words != nil {
			args = i.Presenter.Words(i, args)
		}
		files, err := i.Place(places, args)
		if err != nil {
			return err
		}
		if err := complete(i); err != nil {
			return err
		}
		return i.run(files)
	}
	return i.Cmd
}

// NameRun replaces what a person writes for runs by their IDs.
func (i *Invocation) NameRun(pb *app.App) error {
	for _, f := range i.Fields {
		field := reflect.ValueOf(i.In).Elem().FieldByIndex(f.Index)
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
			id, fault := pb.RunID(i.Cmd.Context(), name.String())
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
func (i *Invocation) call() error {
	if err := i.do(); err != nil {
		return err
	}
	if err := i.Print(i.Cmd, i.Result()); err != nil {
		return err
	}
	return i.outcome()
}

// do does the operation, and what remains when it is done.
func (i *Invocation) do() error {
	ctx := i.asking(i.Cmd.Context())
	stop := i.watchCall()
	out, fault := i.Operation.Call(ctx, i.App, i.In)
	stop()
	if fault != nil {
		return fault
	}
	i.Out = out
	if fault := i.answerCalls(ctx); fault != nil {
		return fault
	}
	if i.Presenter.Finish != nil {
		return i.Presenter.Finish(i)
	}
	return nil
}

// outcome is the error by which a command ends that has printed its result.
func (i *Invocation) outcome() error {
	if r, ok := i.Out.(*execution.RunResult); ok && len(r.Asks) > 0 {
		return errWaits
	}
	if f, ok := i.Out.(interface{ Failed() bool }); ok && f.Failed() || i.Presenter.Failed != nil && i.Presenter.Failed(i) {
		return ErrFailed
	}
	if i.Presenter.Missing != nil && i.Presenter.Missing(i) {
		return errMissing
	}
	return nil
}

// Result is what the command prints.
func (i *Invocation) Result() Result {
	r := Result{Value: i.Out, Text: i.Text}
	if i.Presenter.Names != nil {
		r.Names = func() []string { return i.Presenter.Names(i) }
	}
	return r
}

// Text writes the result for people.
func (i *Invocation) Text(w *term.Page) {
	if i.Presenter.Print != nil {
		i.Presenter.Print(i, w)
		return
	}
	b, err := json.MarshalIndent(i.Out, "", "  ")
	if err == nil {
		fmt.Fprintln(w, string(b))
	}
}

// Printing adapts the function that prints a result of one type.
func Printing[Out any](text func(*term.Page, *Out)) func(*Invocation, *term.Page) {
	return func(i *Invocation, w *term.Page) { text(w, i.Out.(*Out)) }
}

// Ready opens the App and waits for the servers that are starting.
func Ready(l limit) func(*Invocation) (*app.App, error) {
	return func(i *Invocation) (*app.App, error) { return i.OpenReady(i.Cmd.Context(), i.Cmd.ErrOrStderr(), l) }
}

// Started opens the App and waits for no server: a run waits for those it calls.
func Started(i *Invocation) (*app.App, error) {
	return i.OpenApp(i.Cmd)
}

// WithCached opens the App with the tools of the cached lists. A server without one is
// started when a node of it is needed.
func WithCached(i *Invocation) (*app.App, error) {
	p, err := Offline(i)
	if err == nil {
		p.LoadCached()
	}
	return p, err
}

// WithListed opens the App with the tools of the cached lists, and of the servers without
// one, which it starts.
func WithListed(i *Invocation) (*app.App, error) { return i.listed(untilListed) }

// WithSome is withListed that does not wait long: a graph waits for the servers that it
// names.
func WithSome(i *Invocation) (*app.App, error) { return i.listed(briefly) }

func (i *Invocation) listed(l limit) (*app.App, error) {
	p, err := Offline(i)
	if err != nil {
		return nil, err
	}
	missing := p.LoadCached()
	if len(missing) == 0 {
		return p, nil
	}
	ctx := i.Cmd.Context()
	p.Start(ctx, missing...)
	return p, i.await(ctx, p, func(f *Flags, s downstream.Status) time.Duration {
		if !slices.Contains(missing, s.Name) {
			return 0
		}
		return l(f, s)
	})
}

// Offline opens the App and starts a server only when a node of it is needed.
func Offline(i *Invocation) (*app.App, error) {
	i.Offline = true
	return Started(i)
}

// Visibly has a result printed on a page that escapes what could hide or forge text also
// outside of a terminal, too: others have written it.
func Visibly(print func(*Invocation, *term.Page)) func(*Invocation, *term.Page) {
	return func(i *Invocation, w *term.Page) { print(i, w.Visible()) }
}
