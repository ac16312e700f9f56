package graphql

import (
	"encoding/json"
	"strings"
)

// The schemas of the scalars that GraphQL has, of arguments. An Int has 32 bits.
var builtinScalars = map[string]json.RawMessage{
	"Int":     json.RawMessage(`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`),
	"Float":   json.RawMessage(`{"type":"number"}`),
	"String":  json.RawMessage(`{"type":"string"}`),
	"Boolean": json.RawMessage(`{"type":"boolean"}`),
	"ID":      json.RawMessage(`{"type":["string","integer"]}`),
}

// knownScalars are the schemas of custom scalars whose names say what they are, in lower
// case. A 64-bit or decimal number is a number or, as many servers have it, a string.
var knownScalars = map[string]json.RawMessage{
	"datetime": dateTime, "timestamptz": dateTime, "iso8601datetime": dateTime, "awsdatetime": dateTime,
	"date": date, "iso8601date": date, "awsdate": date, "localdate": date,
	"time": text, "localtime": text, "duration": text,
	"uuid": json.RawMessage(`{"type":"string","format":"uuid"}`), "guid": json.RawMessage(`{"type":"string","format":"uuid"}`),
	"json": anything, "jsonb": anything, "awsjson": text, "any": anything, "jsonobject": json.RawMessage(`{"type":"object"}`),
	"bigint": wholeNumber, "long": wholeNumber, "int64": wholeNumber, "uint64": wholeNumber,
	"bigdecimal": anyNumber, "decimal": anyNumber, "bigfloat": anyNumber,
	"url": uri, "uri": uri, "awsurl": uri,
	"emailaddress": email, "email": email, "awsemail": email,
}

var (
	dateTime    = json.RawMessage(`{"type":"string","format":"date-time"}`)
	date        = json.RawMessage(`{"type":"string","format":"date"}`)
	text        = json.RawMessage(`{"type":"string"}`)
	anything    = json.RawMessage(`{}`)
	wholeNumber = json.RawMessage(`{"type":["integer","string"]}`)
	anyNumber   = json.RawMessage(`{"type":["number","string"]}`)
	uri         = json.RawMessage(`{"type":"string","format":"uri"}`)
	email       = json.RawMessage(`{"type":"string","format":"email"}`)
)

// scalarSchema is the JSON Schema of a scalar in arguments or in results. Without a
// description it can be any value.
func (a *api) scalarSchema(name string, result bool) json.RawMessage {
	if s, ok := a.o.Scalars[name]; ok {
		return s
	}
	if name == "ID" && result {
		return text // as the specification says
	}
	if s, ok := builtinScalars[name]; ok {
		return s
	}
	if s, ok := knownScalars[strings.ToLower(name)]; ok {
		return s
	}
	return anything
}
