package packs

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
)

// refuses says why a value is not one of the parameter, or "".
func refuses(p *specs.Parameter, v any) string {
	if !slices.Contains(specs.ParameterTypes, p.Type) {
		return ""
	}
	text, isText := v.(string)
	if isText && specs.IsTemplate(text) {
		return ""
	}
	if !hasType(v, p.Type) {
		return fmt.Sprintf("%s is not of type %s", show(v), p.Type)
	}
	if len(p.EnumValues) > 0 && !slices.ContainsFunc(p.EnumValues, func(e any) bool { return show(e) == show(v) }) {
		return fmt.Sprintf("%s is not one of %s", show(v), showAll(p.EnumValues))
	}
	if !isText {
		return ""
	}
	if why, _ := specs.TextFault(p.Type, text); why != "" {
		return show(v) + " is not of type " + p.Type + ": " + why
	}
	if p.ValidationPattern != "" {
		if re, err := regexp.Compile(p.ValidationPattern); err == nil && !re.MatchString(text) {
			return fmt.Sprintf("%s does not match %s", show(v), p.ValidationPattern)
		}
	}
	return ""
}

// hasType reports whether a JSON value has the form of a parameter's type; which
// texts are values of it, [specs.TextFault] says.
func hasType(v any, typ string) bool {
	want := specs.JSONTypes(typ)
	if want == nil {
		return true
	}
	is := "number"
	switch v := v.(type) {
	case nil:
		is = "null"
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case []any:
		is = "array"
	case map[string]any:
		is = "object"
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") && slices.Contains(want, "integer") {
			return true
		}
	}
	return slices.Contains(want, is)
}

// BuiltinPrefix begins the place of a pack that is in the binary, such as
// builtin:workflow. All other places are folders.
const BuiltinPrefix = "builtin:"

//go:embed builtin
var builtinFiles embed.FS

// Builtin returns the names of the packs in the binary, sorted.
func Builtin() []string {
	var names []string
	entries, _ := fs.ReadDir(builtinFiles, "builtin") // it is there, or the program does not compile
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A readResult is what a pack in the binary contains.
type readResult struct {
	pack  *Pack
	found []Finding
	err   error
}

var (
	builtinMu   sync.Mutex
	builtinRead = map[string]readResult{} // those that were asked for
)

// Load is [LoadPack] for the place of a pack: a folder, or [BuiltinPrefix] and a
// name. A pack in the binary is decoded when it is first asked for.
func Load(place string) (*Pack, []Finding, error) {
	name, ok := strings.CutPrefix(place, BuiltinPrefix)
	if !ok {
		return LoadPack(place)
	}
	if !slices.Contains(Builtin(), name) {
		return nil, nil, fmt.Errorf("there is no built-in knowledge pack %q; the built-in ones are %s", name, diag.OneOf(Builtin(), 12))
	}
	builtinMu.Lock()
	defer builtinMu.Unlock()
	r, ok := builtinRead[name]
	if !ok {
		dir, err := fs.Sub(builtinFiles, "builtin/"+name)
		if err == nil {
			r.pack, r.found, err = ReadPack(dir)
		}
		r.err = err
		builtinRead[name] = r
	}
	return r.pack, r.found, r.err
}
