package packs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/schema"
)

// PackSchema is the JSON Schema of the files of a knowledge pack.
//
//go:embed pack.schema.json
var PackSchema []byte

// definitions are the schemas of the parts of a pack: the $defs of [PackSchema], by
// name.
var definitions = sync.OnceValue(func() map[string]*schema.Schema {
	defs := schema.Read(PackSchema).Get("$defs").Raw()
	all := map[string]*schema.Schema{}
	for _, name := range []string{"manifest", "file", "node"} {
		s := schema.New(fmt.Appendf(nil, `{"$ref":"#/$defs/%s","$defs":%s}`, name, defs))
		if err := s.Err(); err != nil {
			panic("packs: pack.schema.json: " + err.Error())
		}
		all[name] = s
	}
	return all
})

// A breach is one place where a value does not satisfy its schema.
type breach struct{ path, message string }

// breaches lists where a value does not satisfy a schema, in order of path.
func breaches(s *schema.Schema, value any) []breach {
	raw, err := json.Marshal(value)
	if err != nil {
		return []breach{{message: err.Error()}}
	}
	var list []breach
	for _, m := range s.Check(raw) {
		switch m.Keyword {
		case "required":
			for _, name := range m.Names {
				list = append(list, breach{m.Pointer(), fmt.Sprintf("%q is missing", name)})
			}
		case "additionalProperties":
			for _, name := range m.Names {
				list = append(list, breach{m.Pointer() + "/" + diag.EscapePointer(name), fmt.Sprintf("unknown key %q", name)})
			}
		default:
			list = append(list, breach{m.Pointer(), m.Message})
		}
	}
	slices.SortStableFunc(list, func(a, b breach) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(list)
}

func show(v any) string {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return diag.Cut(string(b), 60)
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
