package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

func runCommand(f *flags) *cobra.Command {
	var in app.RunInput
	var args string
	var pins []string
	var dry bool
	c := &cobra.Command{
		Use: "run FILE|NAME [KEY=VALUE…]", Short: "Run a graph file or a saved graph", Args: cobra.MinimumNArgs(1),
		Long: "Run a graph from a file (- is standard input) or a saved one by its name. Arguments are KEY=VALUE pairs, where a VALUE that is JSON is taken as JSON, or --args with a JSON object (- reads it from standard input). The result goes to standard output, the trace to standard error.",
		Example: "  patchbay run examples/count_files.yaml directory=.\n" +
			"  patchbay run count_files --args '{\"directory\": \".\"}'",
		RunE: func(cmd *cobra.Command, rest []string) error {
			f.withServersOf(rest[0])
			p, err := f.assemble(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			if in.Arguments, err = arguments(cmd, args, rest[1:]); err != nil {
				return err
			}
			if in.Pins, err = readPins(pins); err != nil {
				return err
			}
			if dry {
				in.Mode = "dry_run"
			}
			if err := graphToRun(cmd, rest[0], &in); err != nil {
				return err
			}
			r, fault := p.Run(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) { printRun(w, cmd.ErrOrStderr(), r, in.Trace) }); err != nil {
				return err
			}
			if r.Failed() {
				return errFailed
			}
			return nil
		},
	}
	fl := c.Flags()
	fl.StringVarP(&args, "args", "a", "", "arguments as a JSON object, - reads standard input")
	fl.StringVar(&in.Tool, "tool", "", "which tool of the document")
	fl.StringArrayVar(&pins, "pin", nil, "`NODE=JSON`: take this output instead of running the node (repeatable)")
	fl.StringVar(&in.Until, "until", "", "the last node to run")
	fl.StringVar(&in.Trace, "trace", "none", "none, summary or full")
	fl.BoolVar(&dry, "dry-run", false, "call no tool that is not known to be read-only")
	fl.IntVar(&in.TimeoutMs, "timeout-ms", 0, "time limit of the run")
	return c
}

// graphToRun reads a file where there is one of the name, and else takes the name
// for a saved graph's or a -g tool's.
func graphToRun(cmd *cobra.Command, name string, in *app.RunInput) error {
	if _, err := os.Stat(name); name != "-" && errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "/.") {
		in.Saved = name
		return nil
	}
	text, err := readFile(cmd, name)
	if err != nil {
		return err
	}
	in.GraphInput = app.FromText(name, text, in.Tool)
	return nil
}

// arguments joins --args and KEY=VALUE pairs to one object.
func arguments(cmd *cobra.Command, whole string, pairs []string) (json.RawMessage, error) {
	if whole == "-" {
		b, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, err
		}
		whole = string(b)
	}
	if len(pairs) == 0 {
		return json.RawMessage(whole), nil
	}
	object := map[string]json.RawMessage{}
	if whole != "" {
		if err := json.Unmarshal([]byte(whole), &object); err != nil {
			return nil, &diag.Fault{Code: "bad-argument", Path: "--args", Message: "not a JSON object: " + err.Error()}
		}
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, &diag.Fault{Code: "bad-argument", Message: fmt.Sprintf("%q is not KEY=VALUE", pair)}
		}
		object[key] = jsonOrText(value)
	}
	return json.Marshal(object)
}

// jsonOrText takes a value for JSON where it is, and else for text.
func jsonOrText(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

func readPins(pins []string) (map[string]json.RawMessage, error) {
	read := map[string]json.RawMessage{}
	for _, pin := range pins {
		node, value, ok := strings.Cut(pin, "=")
		if !ok {
			return nil, &diag.Fault{Code: "bad-argument", Path: "--pin", Message: fmt.Sprintf("%q is not NODE=JSON", pin)}
		}
		read[node] = jsonOrText(value)
	}
	return read, nil
}

// printRun shows the result on w and everything else on log.
func printRun(w, log io.Writer, r *app.RunResult, trace string) {
	fmt.Fprint(log, r.Rendered)
	if trace != "none" {
		for _, s := range r.Trace {
			line := fmt.Sprintf("%4d  %-20s %8.3f ms", s.Index, s.Node, s.Ms)
			if len(s.Input) > 0 {
				line += "  <- " + string(s.Input)
			}
			if len(s.Output) > 0 {
				line += "  -> " + string(s.Output)
			}
			if s.Simulated != "" {
				line += "  (from the " + s.Simulated + ")"
			}
			if s.Error != "" {
				line += "  failed: " + s.Error
			}
			fmt.Fprintln(log, line)
		}
		fmt.Fprintf(log, "%s %s: %d node executions in %.3f ms\n", r.RunID, r.Status, r.NodeExecutions, r.DurationMs)
	}
	switch {
	case len(r.Asks) > 0:
		printAsks(log, r)
	case r.Error != nil:
		printFault(log, r.Error)
	}
	if len(r.Result) > 0 {
		fmt.Fprintln(w, string(r.Result))
	}
}

func callCommand(f *flags) *cobra.Command {
	var in app.RunNodeInput
	var args string
	c := &cobra.Command{
		Use: "call NODE [KEY=VALUE…]", Short: "Run one downstream tool or saved graph", Args: cobra.MinimumNArgs(1),
		Example: "  patchbay call mcp:workspace/list_directory path=.",
		RunE: func(cmd *cobra.Command, rest []string) error {
			p, err := f.onceFor(cmd.Context(), cmd.ErrOrStderr(), rest[:1])
			if err != nil {
				return err
			}
			defer p.Close()
			in.ID = rest[0]
			if in.Arguments, err = arguments(cmd, args, rest[1:]); err != nil {
				return err
			}
			r, fault := p.RunNode(cmd.Context(), in)
			if fault != nil {
				return fault
			}
			if err := f.print(cmd.OutOrStdout(), r, func(w io.Writer) {
				for _, d := range r.Diags {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s [%s]\n", d.Path, d.Message, d.Code)
					if d.Hint != "" {
						fmt.Fprintf(cmd.ErrOrStderr(), "  hint: %s\n", d.Hint)
					}
				}
				if r.Error != nil {
					printFault(cmd.ErrOrStderr(), r.Error)
				}
				for _, path := range r.Paths {
					if in.ShapeOnly {
						fmt.Fprintln(w, path)
					}
				}
				if len(r.Output) > 0 {
					fmt.Fprintln(w, string(r.Output))
				}
			}); err != nil {
				return err
			}
			if r.Failed() {
				return errFailed
			}
			return nil
		},
	}
	c.Flags().StringVarP(&args, "args", "a", "", "arguments as a JSON object, - reads standard input")
	c.Flags().BoolVar(&in.ShapeOnly, "shape", false, "print the paths of the output only")
	return c
}
