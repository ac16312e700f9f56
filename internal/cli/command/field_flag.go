package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// addFlags adds the flags of an input, which in points to. Flags that are given as - or
// @FILE add a function to sources that reads what they stand for.
func addFlags(fl *pflag.FlagSet, fields []app.Field, in any, sources *[]func(*cobra.Command) error) {
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		value := &fieldFlag{reflectField(in, f.Index), "--" + f.Flag, sources}
		flag := fl.VarPF(value, f.Flag, f.Shorthand, f.Help)
		if value.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
		if len(f.Enum) > 0 {
			flag.Annotations = map[string][]string{EnumAnnotation: f.Enum}
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

// reflectField is the field of an input, which in points to.
func reflectField(in any, index []int) reflect.Value {
	return reflect.ValueOf(in).Elem().FieldByIndex(index)
}

// A fieldFlag sets a field of an input.
type fieldFlag struct {
	field   reflect.Value
	name    string
	sources *[]func(*cobra.Command) error // read when all flags are known
}

// Set reads the flag's text, or notes where to read it.
func (f *fieldFlag) Set(text string) error {
	member, value := "", text
	switch f.Type() {
	case "JSON":
	case "NODE=JSON":
		member, value, _ = strings.Cut(text, "=")
		member += "="
	default:
		return f.set(text)
	}
	if !IsSource(value) {
		return f.set(text)
	}
	*f.sources = append(*f.sources, func(cmd *cobra.Command) error {
		read, err := ReadSource(cmd, f.name, value)
		if err != nil {
			return err
		}
		if err := f.set(member + read); err != nil {
			return &diag.Fault{Code: diag.CodeBadArgument, Path: f.name, Message: err.Error()}
		}
		return nil
	})
	return nil
}

func (f *fieldFlag) set(text string) error {
	if members, ok := reflect.TypeAssert[*map[string]json.RawMessage](f.field.Addr()); ok {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not NODE=JSON", text)
		}
		if *members == nil {
			*members = map[string]json.RawMessage{}
		}
		if strings.IndexAny(value, `{["`) == 0 && !json.Valid([]byte(value)) {
			return fmt.Errorf("the output of %q is not JSON", name)
		}
		(*members)[name] = argumentValue(nil, value)
		return nil
	}
	if list, ok := reflect.TypeAssert[*[]string](f.field.Addr()); ok {
		*list = append(*list, strings.Split(text, ",")...)
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
	case t == reflect.TypeFor[[]string]():
		return "IDS"
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

// EnumAnnotation is the annotation of a flag that lists its values.
const EnumAnnotation = "patchbay_enum"
