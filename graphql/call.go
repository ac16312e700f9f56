package graphql

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

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
	arguments, err := apis.CheckArguments(op.input, arguments)
	if err != nil {
		return "", nil, apis.Failure("%s: %v", op.name, err)
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // it was read
	raw, selects := given[op.selectArg]
	if !selects {
		return op.quoted, arguments, nil
	}
	var text string
	_ = json.Unmarshal(raw, &text) // its schema says that it is one
	document, err := op.withSelection(text)
	if err != nil {
		return "", nil, apis.Failure("the argument %q of %s is not a selection of %s: %v", op.selectArg, op.name, op.field.Type.Name(), err)
	}
	delete(given, op.selectArg)
	variables, _ = json.Marshal(given) //nolint:errchkjson // it was read
	return quote(document), variables, nil
}

// selectedResult puts what the caller has selected where the output schema has it.
func (op *operation) selectedResult(data json.RawMessage) *mcp.CallToolResult {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields[op.field.Name] == nil {
		return apis.Failure("%s failed: the response has no field %q", op.name, op.field.Name)
	}
	return apis.Success(json.RawMessage("{" + quote(selectedKey(op)) + ":" + string(fields[op.field.Name]) + "}"))
}
