package command

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// Words say messages, which name tools and their calls, in commands and flags.
type Words struct {
	Root   *cobra.Command // of the command tree
	Fields []app.Field    // of the operation that the messages are about
	Run    string         // the run that they are about, "" if none is known
}

// NewWords returns the words of a command.
func NewWords(cmd *cobra.Command) Words {
	c := Words{Root: cmd.Root()}
	for _, o := range app.Operations() {
		if o.Command != "" && c.Root.Name()+" "+o.Command == cmd.CommandPath() {
			c.Fields = o.Fields()
		}
	}
	return c
}

// argumentPhrase is an argument in a message: "the argument tool".
var argumentPhrase = regexp.MustCompile(`\bthe argument ([a-z]+(?:_[a-z]+)*)\b`)

// Text says a message in commands, except for the names that others have given.
func (c Words) Text(message string) string {
	var b strings.Builder
	from := 0
	for _, m := range app.Mentions(message) {
		if m.Quoted || m.Operation.Command == "" {
			continue
		}
		b.WriteString(c.arguments(message[from:m.From]))
		if m.Args != nil {
			b.WriteString(c.call(m.Operation, m.Args))
		} else {
			b.WriteString(c.Root.Name() + " " + m.Operation.Command)
		}
		from = m.To
	}
	b.WriteString(c.arguments(message[from:]))
	return Named(c.Root.Name(), b.String())
}

// arguments says the arguments in a message as flags.
func (c Words) arguments(message string) string {
	return argumentPhrase.ReplaceAllStringFunc(message, func(said string) string {
		name := said[strings.LastIndexByte(said, ' ')+1:]
		if flag := c.Argument("/" + name); flag != "/"+name {
			return flag
		}
		return said
	})
}

// call writes a call of a tool as its command.
func (c Words) call(o app.Operation, args map[string]json.RawMessage) string {
	if revision, restores := args["restore"]; restores { // a tool that is two commands
		return strings.Join([]string{c.Root.Name() + " graphs restore", shellWord(args["name"]), shellWord(revision)}, " ")
	}
	words := append([]string{c.Root.Name()}, strings.Fields(o.Command)...)
	command, _, err := c.Root.Find(words[1:])
	if err != nil {
		return strings.Join(words, " ")
	}
	fields := o.Fields()
	for _, at := range FieldPlaces(fields) {
		name := at.Name
		if name == "" { // a graph, or the name of one
			name = "name"
		}
		words = append(words, c.placed(at, args[name])...)
	}
	for _, f := range fields {
		value, given := args[f.Name]
		var word string
		_ = json.Unmarshal(value, &word)
		word = strings.ReplaceAll(word, "_", "-")
		switch {
		case !given || f.Arg != "" || f.Name == "name":
		case f.Flag != "" && string(value) == "true":
			words = append(words, "--"+f.Flag)
		case f.Flag != "":
			words = append(words, "--"+f.Flag, shellWord(value))
		case word != "" && command.Flags().Lookup(word) != nil: // decision retry is --retry
			words = append(words, "--"+word)
		}
	}
	return strings.Join(words, " ")
}

// placed are the words of a position, whose name stands for what is not given.
func (c Words) placed(at Place, value json.RawMessage) []string {
	var object map[string]json.RawMessage
	var list []json.RawMessage
	name, _, _ := strings.Cut(at.Word, "|")
	switch {
	case at.Word == ArgumentPlace && json.Unmarshal(value, &object) == nil:
		var words []string
		for key, v := range object {
			words = append(words, key+"="+shellWord(v))
		}
		slices.Sort(words)
		return words
	case at.many && json.Unmarshal(value, &list) == nil:
		var words []string
		for _, v := range list {
			var node plans.NodeRef
			if json.Unmarshal(v, &node) == nil {
				v, _ = json.Marshal(node.String())
			}
			words = append(words, shellWord(v))
		}
		return words
	case len(value) > 0:
		return []string{shellWord(value)}
	case at.Name == "run_id" && c.Run != "":
		return []string{c.Run}
	case at.optional:
		return nil
	}
	return []string{name}
}

// shellWord writes a JSON value as a word of a command line.
func shellWord(value json.RawMessage) string {
	word := string(value)
	_ = json.Unmarshal(value, &word)
	if strings.ContainsAny(word, " \t\n\"'$&|;<>()*?[]{}#~`\\!") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Argument says the place of an argument, such as /type_filter, as its flag or position.
func (c Words) Argument(path string) string {
	name, within, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, f := range c.Fields {
		if f.Name == "" || f.Name != name || path == "" || path[0] != '/' {
			continue
		}
		said := "--" + f.Flag
		switch {
		case f.Flag != "" && f.Arg != "" && within != "": // KEY=VALUE
			return within
		case f.Flag != "":
		case f.Arg != "":
			said = FieldPlaces([]app.Field{f})[0].Word
		case within == "": // which the command sets itself
			return ""
		default:
			return path
		}
		return strings.TrimSuffix(said+" "+within, " ")
	}
	return path
}

// fault says a fault in commands.
func (c Words) fault(f *diag.Fault) *diag.Fault {
	said := *f
	said.Hint, said.Path = c.Text(f.Hint), c.Argument(f.Path)
	return &said
}

// hintLine is a line of rendered diagnostics that holds a hint.
var hintLine = regexp.MustCompile(`(?m)^ +(= )?hint: .*$`)

// Result says the messages within a result in commands: its faults, its diagnostics,
// and the hints that it has itself. What tools and graphs have said stays as it is.
func (c Words) Result(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch said := v.Interface().(type) {
		case *diag.Fault:
			if !v.CanSet() {
				return
			}
			v.Set(reflect.ValueOf(c.fault(said)))
		case *diag.Diagnostic:
			if !v.CanSet() {
				return
			}
			d := *said
			d.Hint = c.Text(d.Hint)
			v.Set(reflect.ValueOf(&d))
		default:
			c.Result(v.Elem())
		}
	case reflect.Interface:
		if v.Elem().Kind() == reflect.Pointer || v.Elem().Kind() == reflect.Slice {
			c.Result(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			c.Result(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Interface {
			for _, key := range v.MapKeys() {
				c.Result(v.MapIndex(key))
			}
		}
	case reflect.Struct:
		c.members(v)
	}
}

// members says the messages in the fields of a struct in commands.
func (c Words) members(v reflect.Value) {
	if id := v.FieldByName("RunID"); id.Kind() == reflect.String {
		c.Run = id.String()
	}
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case !field.CanSet():
		case field.Kind() != reflect.String:
			c.Result(field)
		case name == "Hint", name == "Description" && builtIn(v):
			field.SetString(c.Text(field.String()))
		case name == "Rendered":
			field.SetString(hintLine.ReplaceAllStringFunc(field.String(), c.Text))
		}
	}
}

// builtIn reports whether a struct describes a node type of the product itself.
func builtIn(v reflect.Value) bool {
	id := v.FieldByName("ID")
	return id.Kind() == reflect.String && id.String() != "" && !strings.Contains(id.String(), ":")
}
