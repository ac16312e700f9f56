package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/schema"
)

// ask asks a person for the arguments that are not given, the required ones first. One
// that may be left out is skipped by an empty line.
func (c *call) ask() error {
	for _, a := range c.known {
		if _, there := c.given[a.Name]; there {
			continue
		}
		value, err := c.askFor(a)
		if err != nil {
			return err
		}
		if value != nil {
			c.given[a.Name] = value
		}
	}
	return nil
}

// askFor asks for one argument until the answer can be its value. The value is nil
// where it is left out.
func (c *call) askFor(a execution.Argument) (json.RawMessage, error) {
	log := c.Page(c.Cmd.ErrOrStderr())
	fmt.Fprintln(log, question(log, a))
	for {
		fmt.Fprint(log, "> ")
		line, err := ReadStdin(c.Cmd).ReadLine(c.Cmd.Context())
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(log)
			c.Interrupted.Store(true)
			return nil, &diag.Fault{Code: diag.CodeCancelled, Message: "nothing was run: the input ended before " + a.Name + " was given"}
		case err != nil:
			return nil, err
		case line == "" && !a.Required:
			return nil, nil
		}
		value := argumentValue(a.Types, line)
		wrong := unfit(a, value)
		if line == "" {
			wrong = a.Name + " is required"
		}
		if wrong == "" {
			return value, nil
		}
		fmt.Fprintln(log, log.Paint(term.Bad, wrong))
	}
}

// question describes an argument in a line.
func question(log *term.Page, a execution.Argument) string {
	text := log.Paint(term.Good, a.Name)
	var about []string
	if len(a.Types) > 0 {
		about = append(about, strings.Join(a.Types, " or "))
	}
	if !a.Required {
		about = append(about, "optional")
	}
	if len(about) > 0 {
		text += log.Paint(term.Faint, " ("+strings.Join(about, ", ")+")")
	}
	if a.Description != "" {
		text += ": " + diag.OneLine(a.Description)
	}
	if len(a.Choices) > 0 {
		text += "\n  one of " + choices(a)
	}
	return text
}

// choices lists the values that an argument can have.
func choices(a execution.Argument) string { return diag.OneOf(ChoiceTexts(a), 20) }

// ChoiceTexts are the values that an argument can have, texts without quotes.
func ChoiceTexts(a execution.Argument) []string {
	names := make([]string, len(a.Choices))
	for i, choice := range a.Choices {
		if json.Unmarshal(choice, &names[i]) != nil {
			names[i] = string(choice)
		}
	}
	return names
}

// unfit says why a value cannot be that of an argument, "" when it can.
func unfit(a execution.Argument, value json.RawMessage) string {
	if len(a.Choices) > 0 && !slices.ContainsFunc(a.Choices, func(c json.RawMessage) bool { return string(c) == string(value) }) {
		return "write one of " + choices(a)
	}
	got := schema.JSONType(value)
	if len(a.Types) > 0 && !slices.Contains(a.Types, got) && (got != "integer" || !slices.Contains(a.Types, "number")) {
		return "this is not of the type " + strings.Join(a.Types, " or ")
	}
	return ""
}
