package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// ArgumentPlace is the name of the position that takes the arguments of a call.
const ArgumentPlace = "KEY=VALUE"

// ArgumentForms says how to write arguments, for the help of commands that take some.
const ArgumentForms = "Arguments are KEY=VALUE, read as the type that the schema gives KEY; KEY:=JSON; or KEY@FILE, the text of a file. --args has them as a JSON object. Where a JSON value or a file is taken, - is standard input and @FILE is a file. " +
	"If required arguments are missing, a JSON object or the text of the only one may come from a pipe, and at a terminal they are asked for."

// A pair is one argument as it is written on the command line.
type pair struct {
	key, sign, text string // the sign is =, := or @
}

// readPair reads KEY=VALUE, KEY:=JSON or KEY@FILE.
func readPair(word string) (pair, error) {
	at := strings.IndexAny(word, "=@")
	if at <= 0 || word[:at+1] == ":=" {
		return pair{}, &diag.Fault{
			Code: diag.CodeBadArgument, Message: fmt.Sprintf("%q is not KEY=VALUE", word),
			Hint: "write KEY=VALUE for text or a number, as the argument's schema says; KEY:=JSON for any JSON; KEY@FILE for the text of a file (KEY@- of standard input)",
		}
	}
	p := pair{word[:at], word[at : at+1], word[at+1:]}
	if key, raw := strings.CutSuffix(p.key, ":"); raw && p.sign == "=" {
		p.key, p.sign = key, ":="
	}
	return p, nil
}

// fillArguments completes the arguments of an operation that takes some: with those on
// the command line, and if required ones are missing, with standard input or what a
// person answers.
func (i *Invocation) fillArguments(pb *app.App) error {
	at := slices.IndexFunc(i.places, func(p Place) bool { return p.Word == ArgumentPlace })
	if at < 0 {
		return nil
	}
	field := reflectField(i.In, i.places[at].Index)
	c := &call{Invocation: i, known: pb.Completion.Arguments(i.Cmd.Context(), i.In), given: map[string]json.RawMessage{}}
	if whole := field.Bytes(); len(whole) > 0 {
		if err := json.Unmarshal(whole, &c.given); err != nil || c.given == nil {
			if len(i.pairs) == 0 && i.stdinKey == "" {
				return nil // the operation refuses it
			}
			return &diag.Fault{Code: diag.CodeBadArgument, Path: "--" + i.places[at].Flag, Message: "not a JSON object"}
		}
	}
	before := len(c.given)
	if err := c.complete(); err != nil {
		return err
	}
	if len(c.given) == before && len(i.pairs) == 0 {
		return nil
	}
	object, err := json.Marshal(c.given)
	field.SetBytes(object)
	return err
}

// A call is the arguments of one call, while they are gathered.
type call struct {
	*Invocation
	known []execution.Argument
	given map[string]json.RawMessage
}

func (c *call) complete() error {
	for _, p := range c.pairs {
		value, err := c.value(p)
		if err != nil {
			return err
		}
		c.given[p.key] = value
	}
	stdin := ReadStdin(c.Cmd)
	switch {
	case c.stdinKey != "":
		text, err := stdin.readAll(c.Cmd.Context(), c.Cmd.ErrOrStderr(), c.stdinKey)
		if err != nil {
			return err
		}
		c.given[c.stdinKey] = c.textValue(c.stdinKey, withoutNewline(text))
	case len(c.missing()) == 0 || stdin.reader != "":
	case stdin.piped:
		return c.fromStdin()
	case stdin.Terminal && !c.misnamed():
		return c.ask()
	}
	return nil
}

// misnamed reports whether an argument is given that the schema does not declare. It may
// stand for what is missing, and the operation says so.
func (c *call) misnamed() bool {
	for name := range c.given {
		if !slices.ContainsFunc(c.known, func(a execution.Argument) bool { return a.Name == name }) {
			return true
		}
	}
	return false
}

// value is the value of a pair.
func (c *call) value(p pair) (json.RawMessage, error) {
	switch p.sign {
	case "=":
		return argumentValue(c.argument(p.key).Types, p.text), nil
	case "@":
		text, err := readFor(c.Cmd, p.key, p.text)
		return c.textValue(p.key, text), err
	}
	text, err := ReadSource(c.Cmd, p.key, p.text)
	if err != nil {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, &diag.Fault{Code: diag.CodeBadArgument, Message: p.key + ":= is followed by something that is not JSON", Hint: "write " + p.key + "=VALUE for a text"}
	}
	return json.RawMessage(text), nil
}

// argument is what is known of an argument.
func (c *call) argument(key string) execution.Argument {
	for _, a := range c.known {
		if a.Name == key {
			return a
		}
	}
	return execution.Argument{Name: key}
}

// textValue is the value of an argument whose text was read from a file: the text,
// unless the schema wants something else.
func (c *call) textValue(key, text string) json.RawMessage {
	types := c.argument(key).Types
	if len(types) == 0 {
		types = []string{"string"}
	}
	return argumentValue(types, text)
}

// missing are the arguments that have to be given and are not.
func (c *call) missing() []execution.Argument {
	return slices.DeleteFunc(slices.Clone(c.known), func(a execution.Argument) bool {
		_, there := c.given[a.Name]
		return there || !a.Required
	})
}

// fromStdin completes the arguments with a JSON object on standard input, or with its
// text, if one argument takes it. Explicit arguments win.
func (c *call) fromStdin() error {
	missing := c.missing()
	text, err := ReadStdin(c.Cmd).readAll(c.Cmd.Context(), c.Cmd.ErrOrStderr(), "the missing "+listNames(missing))
	if fault, interrupted := errors.AsType[*diag.Fault](err); interrupted {
		return fault
	}
	if err != nil || strings.TrimSpace(text) == "" {
		return nil // nobody meant to send something; the operation names what is missing
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) == nil && object != nil {
		for key, value := range object {
			if _, there := c.given[key]; !there {
				c.given[key] = value
			}
		}
		return nil
	}
	if len(missing) == 1 && (len(missing[0].Types) == 0 || slices.Contains(missing[0].Types, "string")) {
		c.given[missing[0].Name] = argumentValue([]string{"string"}, withoutNewline(text))
		return nil
	}
	return Misuse("", "standard input is not a JSON object, and it is not clear which argument it is: the call has no "+listNames(missing), "send a JSON object, or say which argument the text is: --stdin "+missing[0].Name)
}

// listNames lists arguments as a message does.
func listNames(list []execution.Argument) string {
	names := lists.Each(list, func(a execution.Argument) string { return fmt.Sprintf("%q", a.Name) })
	return strings.Join(names, ", ")
}

// withoutNewline is a text without the newline that programs print after it.
func withoutNewline(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// argumentValue is the JSON value that a text stands for, of an argument of some types. A
// text of no known type is taken for JSON where it is, and else for text.
func argumentValue(types []string, text string) json.RawMessage {
	if text == "" {
		return json.RawMessage(`""`)
	}
	value := run.JSONOrText([]byte(text))
	if !slices.Contains(types, "string") {
		return value
	}
	if got := schema.JSONType(value); got != "string" && (slices.Contains(types, got) || got == "integer" && slices.Contains(types, "number")) {
		return value
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return quoted
}
