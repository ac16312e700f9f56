package app

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Field is one field of an operation's input, as its tags describe it:
//
//	json        the name of the tool's argument
//	jsonschema  what it means
//	flag        the command's flag and its shorthand, "max,n"; without this tag the
//	            flag is named after the argument; "-" is none
//	help        what the flag means, where that differs from the argument
//	default     the flag's default value
//	enum        the values that it may have, "run,dry_run"
//	maximum     the greatest number, or number of items
//	unless      "a,b": where one of these arguments is given, this one, which is required, may be left out
//	arg         the field is given by position: "ID", "[TYPE]" if it may be left
//	            out, "WORDS…" for one or more; "FILE|NAME" is a graph's file, or else
//	            the argument name
type Field struct {
	Name      string // of the argument; "" where only the command has it
	Meaning   string
	Flag      string // "" without one
	Shorthand string
	Help      string
	Default   string
	Arg       string // "" where the field has no position
	Enum      []string
	Maximum   *int
	Unless    []string
	Type      reflect.Type
	Index     []int // for [reflect.Value.FieldByIndex]
}

// InputFields lists the fields of an input struct, those of embedded structs included.
func InputFields(input reflect.Type) []Field {
	list, ok := knownFields.Load(input)
	if !ok {
		list, _ = knownFields.LoadOrStore(input, structFields(input, nil))
	}
	return slices.Clone(list.([]Field))
}

var knownFields sync.Map // []Field by reflect.Type

func structFields(t reflect.Type, at []int) []Field {
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		index := slices.Concat(at, []int{i})
		f := Field{Meaning: sf.Tag.Get("jsonschema"), Default: sf.Tag.Get("default"), Arg: sf.Tag.Get("arg"), Type: sf.Type, Index: index}
		f.Name, _, _ = strings.Cut(sf.Tag.Get("json"), ",")
		f.Maximum = bound(sf.Tag, "maximum")
		if unless := sf.Tag.Get("unless"); unless != "" {
			f.Unless = strings.Split(unless, ",")
		}
		if enum := sf.Tag.Get("enum"); enum != "" {
			f.Enum = strings.Split(enum, ",")
		}
		if sf.Anonymous && f.Name == "" {
			if f.Arg != "" {
				fields = append(fields, f)
			}
			fields = append(fields, structFields(sf.Type, index)...)
			continue
		}
		if f.Name == "-" {
			if sf.Tag.Get("flag") == "" {
				continue
			}
			f.Name = ""
		}
		f.Flag, f.Shorthand, _ = strings.Cut(sf.Tag.Get("flag"), ",")
		switch {
		case f.Flag == "-":
			f.Flag = ""
		case f.Flag == "" && f.Arg == "":
			f.Flag = strings.ReplaceAll(f.Name, "_", "-")
		}
		if f.Help = sf.Tag.Get("help"); f.Help == "" {
			f.Help = f.Meaning
		}
		fields = append(fields, f)
	}
	return fields
}

// bound is the number that a tag gives, or nil.
func bound(tag reflect.StructTag, key string) *int {
	n, err := strconv.Atoi(tag.Get(key))
	if err != nil {
		return nil
	}
	return &n
}
