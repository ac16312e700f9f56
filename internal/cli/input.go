package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// A place is a position on the command line that gives a field of the input.
type place struct {
	app.Field
	name     string // as the usage calls it, without brackets and dots
	optional bool
	many     bool
}

type places []place

// placesOf are the fields of an input that are given by position.
func placesOf(fields []app.Field) places {
	var list places
	for _, f := range fields {
		if f.Arg == "" {
			continue
		}
		name, optional := strings.CutPrefix(strings.TrimSuffix(f.Arg, "]"), "[")
		name, many := strings.CutSuffix(name, "…")
		list = append(list, place{Field: f, name: name, optional: optional, many: many})
	}
	return list
}

func (p places) usage() []string {
	words := make([]string, len(p))
	for i := range p {
		words[i] = p[i].Arg
	}
	return words
}

// check returns what counts the arguments.
func (p places) check() cobra.PositionalArgs {
	least := 0
	for _, at := range p {
		if !at.optional {
			least++
		}
	}
	switch {
	case len(p) > 0 && p[len(p)-1].many:
		return cobra.MinimumNArgs(least)
	case least == len(p):
		return cobra.ExactArgs(least)
	}
	return cobra.RangeArgs(least, len(p))
}

// place fills the input from the arguments. It returns the files where the input has
// a graph and the command takes several.
func (i *invocation) place(list places, args []string) (files []string, err error) {
	in := reflect.ValueOf(i.in).Elem()
	for _, at := range list {
		given := args[:min(1, len(args))]
		if at.many {
			given = args
		}
		args = args[len(given):]
		field := in.FieldByIndex(at.Index)
		switch {
		case at.Type == reflect.TypeFor[app.GraphInput]() && at.many:
			i.withServersOf(given...)
			files = given
		case at.Type == reflect.TypeFor[app.GraphInput]():
			i.withServersOf(given...)
			err = i.placeGraph(at, given[0])
		case at.name == "KEY=VALUE":
			var object json.RawMessage
			object, err = arguments(i.cmd, at.Flag, string(field.Bytes()), given)
			field.SetBytes(object)
		case len(given) > 0:
			err = at.set(field, given)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// placeGraph reads a file where there is one of the name, and else takes the name
// for a saved graph's or a -g tool's, if the command takes such. A folder is not a
// graph, whatever its name.
func (i *invocation) placeGraph(at place, name string) error {
	in := reflect.ValueOf(i.in).Elem()
	if strings.HasSuffix(at.name, "|NAME") && name != "-" && !strings.ContainsAny(name, `/\.`) {
		if info, err := os.Stat(name); errors.Is(err, os.ErrNotExist) || err == nil && info.IsDir() {
			saved := slices.IndexFunc(i.fields, func(f app.Field) bool { return f.Name == "name" })
			in.FieldByIndex(i.fields[saved].Index).SetString(name)
			return nil
		}
	}
	return i.readGraph(graphOf(in), name)
}

// graphOf is the graph of an input.
func graphOf(in reflect.Value) *app.GraphInput {
	return in.FieldByName("GraphInput").Addr().Interface().(*app.GraphInput)
}

// readGraph reads a graph from a file, or from standard input for "-".
func (i *invocation) readGraph(g *app.GraphInput, name string) error {
	text, err := readFile(i.cmd, name)
	if err == nil {
		*g = app.FromText(name, text, g.Tool)
	}
	return err
}

// set fills the field from its words.
func (p place) set(field reflect.Value, words []string) error {
	switch {
	case field.Kind() == reflect.String:
		field.SetString(strings.Join(words, " "))
		return nil
	case p.many:
		list, err := json.Marshal(words)
		if err != nil {
			return err
		}
		return json.Unmarshal(list, field.Addr().Interface())
	case p.Type == reflect.TypeFor[json.RawMessage](): // text, whatever it looks like
		text, err := json.Marshal(words[0])
		field.SetBytes(text)
		return err
	}
	if err := setText(field, words[0]); err != nil {
		what := "a JSON value"
		if p.Type.Kind() == reflect.Slice {
			what = "a JSON list of " + strings.ToLower(p.name)
		}
		return &diag.Fault{Code: "bad-argument", Path: p.name, Message: "not " + what + ": " + err.Error(), Hint: p.Meaning}
	}
	return nil
}

// addFlags adds the flags of an input, which in points to.
func addFlags(fl *pflag.FlagSet, fields []app.Field, in any) {
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		value := &fieldFlag{reflect.ValueOf(in).Elem().FieldByIndex(f.Index)}
		flag := fl.VarPF(value, f.Flag, f.Shorthand, f.Help)
		if value.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		if f.Default == "" {
			continue
		}
		if err := value.Set(f.Default); err != nil {
			panic(err) // a tag of ours
		}
		flag.DefValue = value.String()
	}
}

// A fieldFlag sets a field of an input.
type fieldFlag struct{ field reflect.Value }

// Set reads the flag's text.
func (f *fieldFlag) Set(text string) error {
	if members, ok := reflect.TypeAssert[*map[string]json.RawMessage](f.field.Addr()); ok {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not NODE=JSON", text)
		}
		if *members == nil {
			*members = map[string]json.RawMessage{}
		}
		(*members)[name] = jsonOrText(value)
		return nil
	}
	return setText(f.field, text)
}

// Type names what the flag takes, for the help.
func (f *fieldFlag) Type() string {
	t := f.field.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t.Kind() == reflect.Map:
		return "NODE=JSON"
	case t.Kind() == reflect.Slice:
		return "JSON"
	case t.Kind() == reflect.Int64:
		return "int"
	}
	return t.Kind().String()
}

// String is the value, "" where it is the zero value.
func (f *fieldFlag) String() string {
	if f.field.IsZero() {
		return ""
	}
	switch v := f.field.Interface().(type) {
	case json.RawMessage:
		return string(v)
	case string, int, int64, bool, time.Duration:
		return fmt.Sprint(v)
	}
	return ""
}

// setText fills a field from text: raw JSON as it is, a text as it is, anything else
// as JSON.
func setText(field reflect.Value, text string) error {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch {
	case field.Type() == reflect.TypeFor[json.RawMessage]():
		field.SetBytes([]byte(text))
	case field.Kind() == reflect.String:
		field.SetString(text)
	case field.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		field.SetInt(int64(d))
		return err
	case field.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(text)
		field.SetBool(b)
		return err
	case field.CanInt():
		n, err := strconv.ParseInt(text, 10, 64)
		field.SetInt(n)
		return err
	default:
		return json.Unmarshal([]byte(text), field.Addr().Interface())
	}
	return nil
}
