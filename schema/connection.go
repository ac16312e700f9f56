package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// The types of ports that have a meaning of their own. All others fit themselves.
const (
	mainPort  = "MAIN"
	errorPort = "ERROR"
)

// A Connection says whether what one port gives may enter another.
type Connection struct {
	Refused string // why it may not; "" if it may
	Because string // why it may although the types of the ports differ, or ""
}

// Connect decides whether an output port may lead to an input port: by the types of
// the ports, their media types, and the schemas of the data. What a port does not
// say is taken as fitting.
func Connect(from, to *specs.Port) Connection {
	var c Connection
	switch given, wanted := portType(from), portType(to); {
	case given == wanted:
	case given == errorPort && wanted == mainPort:
		c.Because = "an error output may lead to a main input, whose node then handles the error"
	default:
		return Connection{Refused: fmt.Sprintf("the output has the type %s, the input takes %s", from.Type, to.Type)}
	}
	given, wanted := mediaType(from), mediaType(to)
	if !mediaFits(given, wanted) {
		return Connection{Refused: fmt.Sprintf("the output gives %s, the input takes %s", given, wanted)}
	}
	if why := dataFault(givenSchema(from), wantedSchema(to)); why != "" {
		return Connection{Refused: why}
	}
	return c
}

// portType is a port's type in capitals. A type of JSON, which the ports of nodes
// have that run here, is that of data: the main one.
func portType(p *specs.Port) string {
	switch t := strings.ToUpper(p.Type); t {
	case "", "ANY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL":
		return mainPort
	default:
		return t
	}
}

func mediaType(p *specs.Port) string {
	if p.DataFormat == nil {
		return ""
	}
	name, _, _ := strings.Cut(p.DataFormat.MimeType, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// mediaFits compares media types; either may be a range such as image/*.
func mediaFits(given, wanted string) bool {
	return given == "" || wanted == "" || given == wanted || within(given, wanted) || within(wanted, given)
}

func within(name, span string) bool {
	family, ok := strings.CutSuffix(span, "*")
	return ok && (family == "*/" || strings.HasPrefix(name, family))
}

func givenSchema(p *specs.Port) json.RawMessage {
	if p.DataFormat != nil && len(p.DataFormat.Schema) > 0 {
		return p.DataFormat.Schema
	}
	return p.ValidationSchema
}

func wantedSchema(p *specs.Port) json.RawMessage {
	if len(p.ValidationSchema) > 0 || p.DataFormat == nil {
		return p.ValidationSchema
	}
	return p.DataFormat.Schema
}

// dataFault says why no value of one schema satisfies another, or which field that
// one requires the other does not mention.
func dataFault(given, wanted json.RawMessage) string {
	if len(given) == 0 || len(wanted) == 0 {
		return ""
	}
	got, _ := TypeOf(given)
	want, _ := TypeOf(wanted)
	for _, m := range types.Compare(got, want) {
		if m.Kind == types.MissingField && m.Name != "" {
			if _, mentioned := m.Got.Field(m.Name); mentioned && m.Certainty != types.Certain {
				continue
			}
			return fmt.Sprintf("the input needs the field %s, which the output does not have", diag.Quote(strings.Join(m.Place(), ".")))
		}
		if m.Certainty == types.Certain {
			return strings.TrimSpace(mismatchPlace(&m) + " does not fit: " + m.Message())
		}
	}
	return ""
}

func mismatchPlace(m *types.Mismatch) string {
	if place := m.Place(); len(place) > 0 {
		return "the field " + diag.Quote(strings.Join(place, "."))
	}
	return "the data"
}

// Connects reports whether some output port of a node may lead to some input port of
// another.
func Connects(from, to []specs.Port) bool {
	return slices.ContainsFunc(from, func(out specs.Port) bool {
		return slices.ContainsFunc(to, func(in specs.Port) bool { return Connect(&out, &in).Refused == "" })
	})
}
