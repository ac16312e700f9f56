package packs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/patchbay-mcp/patchbay/internal/bounded"
)

// PackSchema is the JSON Schema of the files of a knowledge pack.
//
//go:embed pack.schema.json
var PackSchema []byte

const packSchemaURL = "patchbay:pack.schema.json"

// packShapes are the compiled definitions of [PackSchema], by name.
var packShapes = sync.OnceValue(func() map[string]*jsonschema.Schema {
	var doc any
	if err := decode(PackSchema, &doc); err != nil {
		panic("specs: pack.schema.json: " + err.Error())
	}
	c := newCompiler()
	if err := c.AddResource(packSchemaURL, doc); err != nil {
		panic("specs: pack.schema.json: " + err.Error())
	}
	shapes := map[string]*jsonschema.Schema{}
	for _, name := range []string{"manifest", "file", "node"} {
		shapes[name] = c.MustCompile(packSchemaURL + "#/$defs/" + name)
	}
	return shapes
})

// noLoader keeps a schema from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside the schema: a schema must be whole in itself", url)
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	return c
}

// compileSchema compiles a JSON Schema given as a value.
func compileSchema(doc any) (*bounded.Schema, error) {
	if err := bounded.CheckDocument(doc); err != nil {
		return nil, err
	}
	c := newCompiler()
	if err := c.AddResource("patchbay:schema", doc); err != nil {
		return nil, err
	}
	s, err := c.Compile("patchbay:schema")
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(leafMessage(err), "jsonschema "))
	}
	return bounded.New(s)
}

// A breach is one place where a value does not have its shape.
type breach struct{ path, message, hint string }

// breaches are the innermost reasons of a failed validation, in order of path.
func breaches(err error) []breach {
	ve, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []breach{{message: err.Error()}}
	}
	var list []breach
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) > 0 {
			for _, c := range e.Causes {
				walk(c)
			}
			return
		}
		var path strings.Builder
		for _, part := range e.InstanceLocation {
			path.WriteString("/" + escapePointer(part))
		}
		list = append(list, explain(path.String(), e.ErrorKind)...)
	}
	walk(ve)
	slices.SortStableFunc(list, func(a, b breach) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(list)
}

func explain(path string, k jsonschema.ErrorKind) []breach {
	switch k := k.(type) {
	case *kind.Required:
		var list []breach
		for _, name := range k.Missing {
			list = append(list, breach{path, fmt.Sprintf("%q is missing", name), ""})
		}
		return list
	case *kind.AdditionalProperties:
		var list []breach
		for _, name := range k.Properties {
			list = append(list, breach{path + "/" + escapePointer(name), fmt.Sprintf("unknown key %q", name), ""})
		}
		return list
	case *kind.Type:
		return []breach{{path, fmt.Sprintf("must be %s, not %s", strings.Join(k.Want, " or "), k.Got), ""}}
	case *kind.Enum:
		return []breach{{path, fmt.Sprintf("%s is not one of %s", show(k.Got), showAll(k.Want)), ""}}
	case *kind.Pattern:
		return []breach{{path, fmt.Sprintf("%s does not match %s", strconv.Quote(k.Got), k.Want), ""}}
	case *kind.MinLength:
		return []breach{{path, "must not be empty", ""}}
	case *kind.MinItems, *kind.MinProperties:
		return []breach{{path, "must not be empty", ""}}
	}
	return []breach{{path, "does not satisfy " + strings.Join(k.KeywordPath(), "/"), ""}}
}

// leafMessage is the last line of an error: the reason without its trail.
func leafMessage(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return strings.TrimLeft(lines[len(lines)-1], " -")
}

func show(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return fmt.Sprint(v)
	}
	text := strings.TrimSpace(b.String())
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return text
}

func showAll(list []any) string {
	var words []string
	for i, v := range list {
		if i == 12 {
			words = append(words, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		words = append(words, show(v))
	}
	return strings.Join(words, ", ")
}
