package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// requestHeader is that of every request. Configured headers do not replace it.
var requestHeader = http.Header{
	"Content-Type": {"application/json"},
	"Accept":       {"application/graphql-response+json, application/json;q=0.9"},
}

// call executes an operation with the arguments of a request as variables.
func (op *operation) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a := op.api
	if a.endpoint == "" {
		return apis.Failure("%s cannot be called: its API has no endpoint", op.name), nil
	}
	query, variables, failed := op.request(r.Params.Arguments)
	if failed != nil {
		return failed, nil
	}
	body := make([]byte, 0, len(query)+len(variables)+40)
	body = append(append(append(append(append(body, `{"query":`...), query...), `,"variables":`...), variables...), '}')
	resp, err := a.client.Do(ctx, &apis.Request{
		Method: http.MethodPost, URL: a.endpoint, Header: requestHeader, Body: body, Repeatable: op.operation == ast.Query,
	})
	if err != nil {
		return apis.Failure("%s failed: %v", op.name, err), nil
	}
	answer, err := readAnswer(resp)
	if err != nil {
		return apis.Failure("%s failed: %s %v", op.name, apis.Address(a.endpoint), err), nil
	}
	if len(answer.Errors) > 0 || !isObject(answer.Data) {
		return op.failure(answer), nil
	}
	if query == op.quoted {
		return apis.Success(answer.Data), nil
	}
	return op.selectedResult(answer.Data), nil
}

// request returns the document, as JSON, and the variables of a call.
func (op *operation) request(arguments json.RawMessage) (query string, variables []byte, failed *mcp.CallToolResult) {
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &given); err != nil {
		return "", nil, apis.Failure("the arguments of %s are not a JSON object", op.name)
	}
	for name := range given {
		if failed := op.checkName(name); failed != nil {
			return "", nil, failed
		}
	}
	for _, p := range op.arguments {
		if value, ok := given[p.name]; p.required() && (!ok || string(value) == "null") {
			return "", nil, apis.Failure("%s needs the argument %q, of GraphQL type %s", op.name, p.name, p.typ)
		}
	}
	raw, selects := given[op.selectArg]
	if !selects || op.selectArg == "" {
		return op.quoted, arguments, nil
	}
	query = op.quoted
	if string(raw) != "null" {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", nil, apis.Failure("the argument %q of %s is not a string", op.selectArg, op.name)
		}
		document, err := op.withSelection(text)
		if err != nil {
			return "", nil, apis.Failure("the argument %q of %s is not a selection of %s: %v", op.selectArg, op.name, op.field.Type.Name(), err)
		}
		query = quote(document)
	}
	delete(given, op.selectArg)
	var b bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(given)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(name) + ":")
		b.Write(given[name])
	}
	return query, []byte("{" + b.String() + "}"), nil
}

// checkName refuses an argument that the operation does not have: servers ignore it.
func (op *operation) checkName(name string) *mcp.CallToolResult {
	var names []string
	for _, p := range op.arguments {
		if p.name == name {
			return nil
		}
		names = append(names, p.name)
	}
	if op.selectArg != "" {
		if name == op.selectArg {
			return nil
		}
		names = append(names, op.selectArg)
	}
	if near := diag.Closest(name, names); near != "" {
		return apis.Failure("%s has no argument %q; did you mean %q?", op.name, diag.Excerpt(name), near)
	}
	if len(names) == 0 {
		return apis.Failure("%s has no argument %q: it takes none", op.name, diag.Excerpt(name))
	}
	return apis.Failure("%s has no argument %q; its arguments are %s", op.name, diag.Excerpt(name), diag.OneOf(names, 20))
}

// selectedResult puts what the caller has selected where the output schema has it.
func (op *operation) selectedResult(data json.RawMessage) *mcp.CallToolResult {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields[op.field.Name] == nil {
		return apis.Failure("%s failed: the response has no field %q", op.name, op.field.Name)
	}
	return apis.Success(json.RawMessage("{" + quote(selectedKey(op)) + ":" + string(fields[op.field.Name]) + "}"))
}
