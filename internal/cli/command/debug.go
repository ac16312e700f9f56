package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// DebugFlags adds the flags that pause a run. What it returns makes the debugger, nil if the
// run is not to pause.
func DebugFlags(c *cobra.Command) func(*Invocation) (*run.Debugger, error) {
	breakpoints := c.Flags().StringArray("break", nil, "pause before this `NODE`, and read what to do from standard input: continue, step, eval EXPR or abort (repeatable)")
	step := c.Flags().Bool("step", false, "pause before every node")
	return func(i *Invocation) (*run.Debugger, error) {
		if len(*breakpoints) == 0 && !*step {
			return nil, nil
		}
		stdin := ReadStdin(i.Cmd)
		if stdin.reader != "" {
			return nil, Misuse("", "the debugger reads standard input, and "+stdin.reader+" has been read from it", "put it in a file")
		}
		if !stdin.Terminal {
			stdin.reader = "--break" // not the arguments of the call
		}
		return run.NewDebugger(*breakpoints, *step, 0), nil
	}
}

// debug lets the person or script at standard input debug a run, until what it returns is
// called.
func (i *Invocation) debug(d *run.Debugger) (stop func()) {
	ctx, cancel := context.WithCancel(i.Cmd.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			paused, ended, changed := d.Paused()
			if len(paused) > 0 {
				i.debugAt(ctx, d, paused[0])
				continue
			}
			if ended {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		d.End()
		<-done
	}
}

const debugHelp = "continue: run until the next breakpoint; step: run until the next node; eval EXPR: evaluate JSONata on what this node sees; abort: end the run"

// debugAt shows where a run is paused and does what is asked until it is to continue. The end
// of the input aborts the run: what the breakpoint held back does not happen.
func (i *Invocation) debugAt(ctx context.Context, d *run.Debugger, p *run.Pause) {
	log := i.Page(i.Cmd.ErrOrStderr())
	fmt.Fprintf(log, "%s before %s (%s): %s\n", log.Paint(term.Doubt, "paused"), p.Key, p.NodeType, p.Why)
	printContext(log, execution.PausedContext(p))
	for {
		fmt.Fprint(log, "debug> ")
		line, err := ReadStdin(i.Cmd).ReadLine(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(log, "\nthe input has ended: the run is aborted")
			}
			d.Abort()
			return
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "continue":
			d.Continue(p.Key)
			return
		case word == "step":
			d.Step(p.Key)
			return
		case word == "abort":
			d.Abort()
			return
		case word == "eval" && strings.TrimSpace(rest) != "":
			i.evaluateAt(ctx, log, p, strings.TrimSpace(rest))
		default:
			fmt.Fprintln(log, debugHelp)
		}
	}
}

// maxContextLines is how many outputs are shown of a context: the last ones.
const maxContextLines = 20

func printContext(log *term.Page, nodes []execution.PausedNode) {
	if more := len(nodes) - maxContextLines; more > 0 {
		fmt.Fprintf(log, "  … %s before these\n", term.Count(more, "node"))
		nodes = nodes[more:]
	}
	width := 0
	for _, n := range nodes {
		width = min(max(width, len(n.Node)), 30)
	}
	for _, n := range nodes {
		fmt.Fprintln(log, log.Cut(fmt.Sprintf("  %-*s  %s", width, n.Node, n.Output)))
	}
}

func (i *Invocation) evaluateAt(ctx context.Context, log *term.Page, p *run.Pause, expression string) {
	text, err := json.Marshal(expression)
	if err != nil {
		return
	}
	r, fault := i.App.EvaluatePaused(ctx, p, author.EvaluateInput{Expression: text})
	switch {
	case fault != nil:
		PrintFault(log, fault)
	case r.Failed(), len(r.Value) == 0 && r.Rendered != "":
		log.Diagnostics(r.Rendered)
	case len(r.Value) == 0:
		fmt.Fprintln(log, "undefined")
	default:
		fmt.Fprintln(log, string(r.Value))
	}
}
