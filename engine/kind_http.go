package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "http",
		Title:       "HTTP request",
		Description: "Sends an HTTP request to an address the operator allows. Its output is {status, headers, body}; a status other than 2xx fails it.",
		Tags:        []string{"http", "rest", "api", "request", "url", "web", "webhook"},
		Intents: []string{
			"call a REST API", "fetch a URL", "send a webhook", "make an HTTP request", "GET a web page", "POST JSON to an endpoint", "download from a web address",
			"call an API with a bearer token", "post a message to a web service", "query a web API for each item",
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "{status, headers, body}; names of headers in lower case; body is a JSON value, text, {base64, mimeType} or null", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"fetch","type":"http","method":"GET","url":{"expr":"$.entry.url"},"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Say whether a web service answers, whatever goes wrong",
			Graph: `name: is_up
description: Says whether a web service answers its health check
inputSchema: {type: object, properties: {url: {type: string}, verbose: {type: boolean, default: false}}, required: [url]}
outputSchema: {type: object, properties: {up: {type: boolean}}, required: [up]}
nodes:
  - {id: entry, type: entry, next: ask}
  - id: ask
    type: http
    method: GET
    url: {expr: $.entry.url}
    query: {verbose: {expr: $.entry.verbose}}
    headers: {Accept: application/json}
    timeoutMs: 5000
    onError: exit
    next: exit
  - {id: exit, type: exit, result: {expr: '{"up": $not($exists($.ask.error))}'}}
`,
			Arguments: json.RawMessage(`{"url":"http://127.0.0.1:1/health"}`),
			Result:    json.RawMessage(`{"up":false}`),
		}},
	},
	ActsOutside: true,
	Evidence:    []string{"url"},
	SecretHint:  "write ${NAME}, a variable that the operator offers by egress.variables in patchbay.yaml",
	Aliases:     strings.Fields("httpRequest http_request request fetch rest rest_api api api_call webhook curl url web_request http_call get post httpNode https n8n-nodes-base.httpRequest requests"),
	Guide:       GuideRow{Fields: "method, url, query, headers, body, auth: {bearer}, responseSchema, trusted, next; only addresses that the operator allows", Output: "{status, headers, body}; a status other than 2xx fails, with these in error.details"},
	Fields: []Field{
		{Name: "method", Type: "string", Doc: "GET (the default); or HEAD, POST, PUT, PATCH, DELETE, OPTIONS", Aliases: []string{"verb", "httpMethod", "requestMethod", "http_method"}},
		{Name: "url", Type: "string", Required: true, Doc: "a whole URL; an address that the operator allows", Aliases: strings.Fields("uri endpoint address href link requestUrl baseUrl")},
		{Name: "query", Type: "object", Doc: "query: {<name>: <value>}: added to the URL; a list repeats the name", Aliases: strings.Fields("params queryParams queryParameters query_params searchParams qs queryString")},
		{Name: "headers", Type: "object", Doc: "headers: {<name>: <value>}", Aliases: []string{"header", "requestHeaders", "headerParameters", "httpHeaders"}},
		{Name: "body", Type: "any", Doc: "text, or a value sent as JSON; sent as a form, if the header Content-Type is application/x-www-form-urlencoded", Aliases: strings.Fields("data json payload content requestBody jsonBody bodyParameters form")},
		{Name: "auth", Type: "object", Doc: `auth: {bearer: "${TOKEN}"}; or {basic: {username, password}}, or {header: {name, value}}; ${NAME} in a literal of the node is a variable that the operator offers`, Aliases: []string{"authentication", "authorization", "credentials"}},
		{Name: "responseSchema", Type: "object", Doc: "JSON Schema of the body; another body fails the node", Aliases: []string{"outputSchema", "schema", "response", "bodySchema"}},
		trustedField,
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	RecoverKey: wrappedRequest,
	Modifiers:  AllModifiers,
	Compile:    compileHTTP,
})

// httpMethods are the methods a node may use, and whether a request may be
// repeated by RFC 9110 (a safe one changes nothing; repeating an idempotent one
// changes nothing more).
var httpMethods = []struct {
	name             string
	safe, idempotent bool
}{
	{"GET", true, true},
	{"HEAD", true, true},
	{"POST", false, false},
	{"PUT", false, true},
	{"PATCH", false, false},
	{"DELETE", false, true},
	{"OPTIONS", true, true},
}

func httpMethodNames() []string {
	var names []string
	for _, m := range httpMethods {
		names = append(names, m.name)
	}
	return names
}

// httpTool describes a method as a tool of [run.HTTPServer]. Nothing is known of a
// method that is computed.
func httpTool(method string) *Tool {
	t := &Tool{Spec: &specs.Spec{NodeType: "http", Subtype: method, Annotations: &specs.Annotations{Trusted: true}}}
	for _, m := range httpMethods {
		if m.name == method {
			t.Spec.Annotations.ReadOnly, t.Spec.Annotations.Idempotent = &m.safe, &m.idempotent
		}
	}
	return t
}

// httpRequest is a compiled request.
type httpRequest struct {
	method, url, query, headers, auth, body *Template // nil where the node has none

	answer *schema.Schema
	next   NodeIndex
}

func compileHTTP(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	r := &httpRequest{next: edges[0].To}
	method := p.httpMethod(n, r)
	r.query, r.headers, r.auth, r.body = p.httpQuery(n), p.httpHeaders(n), p.httpAuth(n), p.httpBody(n, method)
	p.httpURL(n, r, p.httpVariables(n))
	r.answer = p.schema(n.Field("responseSchema"), "responseSchema")
	n.tool, n.trusted = httpTool(method), p.trusted(n)
	once := ""
	switch {
	case method == "":
		once = "its method is computed, and may do harm when repeated"
	case !n.tool.Spec.Annotations.MayRepeat():
		once = method + " is not idempotent (RFC 9110)"
	}
	n.callee.tool = "request"
	if method != "" {
		n.callee.tool = method
	}
	if v := n.Field("url"); v.Is(graph.String) {
		n.callee.tool += " " + diag.Cut(displayURL(v.Text()), 80)
	}
	return Compiled{Edges: edges, Step: r.step, Call: r.call, NotRepeatableBecause: once, Infer: func(t *Types) types.Type { return r.infer(t, method) }}
}

// infer is the type of an answer; what types show to be no part of a request is
// reported.
func (r *httpRequest) infer(t *Types, method string) types.Type {
	t.checkRequest(r)
	body := types.Unknown().Without(types.Function | types.Undefined)
	switch {
	case method == "HEAD":
		body = types.Of(types.Null)
	case r.answer != nil:
		body = r.answer.FilledType()
	}
	return types.ObjectOf(true,
		types.Field{Name: "status", Type: types.Of(types.Integer)},
		types.Field{Name: "headers", Type: types.ObjectOf(false)},
		types.Field{Name: "body", Type: body},
	)
}

// A requestPart is a part of a request, and the field that it is in.
type requestPart struct {
	at    Place
	value *Template
}

func (r *httpRequest) parts() []requestPart {
	return []requestPart{{placeMethod, r.method}, {placeURL, r.url}, {placeQuery, r.query}, {placeHeaders, r.headers}, {placeAuth, r.auth}, {Place{Field: "body"}, r.body}}
}

// call makes up the request. Its input is the request without passwords.
func (r *httpRequest) call(ctx context.Context, s *State) (run.Call, expr.Value, error) {
	sent, seen := expr.NewObject(), expr.NewObject()
	for _, part := range r.parts() {
		name := part.at.Field
		if part.value == nil {
			continue
		}
		v, err := part.value.eval(ctx, s, escapeVariables)
		if err != nil {
			return run.Call{}, nil, err
		}
		if fault := part.at.fault(v); fault != nil {
			return run.Call{}, seen, fault
		}
		if v == nil {
			continue
		}
		sent.Set(name, v)
		if name == "auth" && !part.value.constant() {
			v = "***" // the record of a run does not contain passwords
		}
		seen.Set(name, v)
	}
	named, fault := requestLine(sent)
	if fault != nil {
		return run.Call{}, seen, fault
	}
	args, err := expr.Encode(sent)
	if err != nil {
		return run.Call{}, seen, diag.Faultf(codeNotJSON, "the request is not JSON: %w", err)
	}
	method, _, _ := strings.Cut(named, " ")
	return run.Call{Server: run.HTTPServer, Tool: method, Args: args, Answer: r.answer}, seen, nil
}

func (r *httpRequest) step(ctx context.Context, s *State) (Outcome, error) {
	call, seen, err := r.call(ctx, s)
	out := Outcome{Input: seen, Next: r.next}
	if err != nil {
		return out, err
	}
	named, _ := requestLine(seen.(expr.Object)) //nolint:forcetypeassert // of call, which has checked it
	res, err := s.Call(ctx, call)
	if err != nil {
		return out, err
	}
	answer, err := s.unwrap(ctx, res)
	if err != nil && ctx.Err() != nil {
		return out, err
	}
	if err != nil {
		return out, diag.Faultf(diag.CodeInvalidResponse, "%s was answered with a body that cannot be read: %w", named, err).WithHint("this is an error in the server")
	}
	if res.IsError {
		return out, notOK(named, answer)
	}
	out.Output = answer
	return out, r.checkAnswer(named, answer)
}

// requestLine is what messages call a request: its method and address.
func requestLine(request expr.Object) (string, *diag.Fault) {
	m, _ := request.Get("method")
	u, _ := request.Get("url")
	method, isText := m.(string)
	if !isText || !slices.Contains(httpMethodNames(), method) {
		return "", diag.Faultf(diag.CodeBadRequest, "the method is %s", valueText(m)).WithHint("the methods are " + strings.Join(httpMethodNames(), ", "))
	}
	url, isText := u.(string)
	if !isText {
		return "", diag.Faultf(diag.CodeBadRequest, "the url is %s, expected text", valueText(u)).WithHint("check what its expression reads")
	}
	return method + " " + diag.Cut(displayURL(url), 200), nil
}

func valueText(v expr.Value) string {
	if v == nil {
		return "undefined"
	}
	b, err := expr.Encode(v)
	if err != nil {
		return expr.Type(v)
	}
	return diag.Cut(string(b), 80)
}

// displayURL is a URL as it is shown: without its query, which may hold a secret.
func displayURL(url string) string {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	return url
}
