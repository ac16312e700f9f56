package command

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A Place is a position on the command line that gives a field of the input.
type Place struct {
	app.Field
	Word     string // as the usage calls it, without brackets and dots
	optional bool
	many     bool
}

type places []Place

// FieldPlaces are the fields of an input that are given by position.
func FieldPlaces(fields []app.Field) places {
	var list places
	for _, f := range fields {
		if f.Arg == "" {
			continue
		}
		name, optional := strings.CutPrefix(strings.TrimSuffix(f.Arg, "]"), "[")
		name, many := strings.CutSuffix(name, "…")
		list = append(list, Place{Field: f, Word: name, optional: optional, many: many})
	}
	return list
}

func (p places) Usage() []string {
	words := make([]string, len(p))
	for i := range p {
		words[i] = p[i].Arg
	}
	return words
}

// Place fills the input from the arguments. It returns the files where the input has
// a graph and the command takes several.
func (i *Invocation) Place(list places, args []string) (files []string, err error) {
	in := reflect.ValueOf(i.In).Elem()
	i.places = list
	for _, read := range i.Sources {
		if err := read(i.Cmd); err != nil {
			return nil, err
		}
	}
	for _, at := range list {
		given := args[:min(1, len(args))]
		if at.many {
			given = args
		}
		args = args[len(given):]
		field := in.FieldByIndex(at.Index)
		switch {
		case at.Type == reflect.TypeFor[plans.GraphInput]():
			for n := range given {
				given[n] = FileName(given[n])
			}
			i.needServers(given...)
			if at.many {
				files = given
			} else if len(given) > 0 {
				err = i.placeGraph(at, given[0])
			}
		case at.Word == ArgumentPlace:
			for _, word := range given {
				p, err := readPair(word)
				if err != nil {
					return nil, err
				}
				i.pairs = append(i.pairs, p)
			}
		case len(given) > 0:
			err = at.set(i.Cmd, field, given)
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
func (i *Invocation) placeGraph(at Place, name string) error {
	in := reflect.ValueOf(i.In).Elem()
	if strings.HasSuffix(at.Word, "|NAME") && name != "-" && !strings.ContainsAny(name, `/\.`) {
		if info, err := os.Stat(name); errors.Is(err, os.ErrNotExist) || err == nil && info.IsDir() {
			saved := slices.IndexFunc(i.Fields, func(f app.Field) bool { return f.Name == "name" })
			in.FieldByIndex(i.Fields[saved].Index).SetString(name)
			return nil
		}
	}
	return i.readGraph(graphInput(in), name)
}

// graphInput is the graph of an input.
func graphInput(in reflect.Value) *plans.GraphInput {
	return in.FieldByName("GraphInput").Addr().Interface().(*plans.GraphInput)
}

// readGraph reads a graph from a file, or from standard input for "-".
func (i *Invocation) readGraph(g *plans.GraphInput, name string) error {
	text, err := ReadFile(i.Cmd, name)
	if err == nil {
		*g = plans.FromText(name, text, g.Tool)
	}
	return err
}

// set fills the field from its words.
func (p Place) set(cmd *cobra.Command, field reflect.Value, words []string) error {
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
	}
	given, err := ReadSource(cmd, p.Word, words[0])
	if err != nil {
		return err
	}
	if p.Type == reflect.TypeFor[json.RawMessage]() { // text, whatever it looks like
		text, err := json.Marshal(given)
		field.SetBytes(text)
		return err
	}
	if err := setText(field, given); err != nil {
		what := "a JSON value"
		if p.Type.Kind() == reflect.Slice {
			what = "a JSON list of " + strings.ToLower(p.Word)
		}
		return &diag.Fault{Code: diag.CodeBadArgument, Path: p.Word, Message: "not " + what + ": " + err.Error(), Hint: p.Meaning}
	}
	return nil
}
