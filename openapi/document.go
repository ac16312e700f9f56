package openapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
)

// methods are the members of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch"}

// An api is a document that is being read.
type api struct {
	*loader
	file    *file
	old     bool // OpenAPI 3.0 or Swagger, whose schemas are not JSON Schema
	swagger bool // Swagger 2.0
	schemes map[string]*scheme
	secured bool // some operation says what it needs
	base    *url.URL
	include []selector
	exclude []selector
	defs    *definitions
	names   *apis.Names
	status  bool // of the answer, in results
	headers bool

	called  map[string]bool // the names of operations, also of those that are not included
	objects map[*node]bool  // whether all values of a schema are objects, as far as it was asked
	inForms int             // the fields of all forms
}

// load reads the document and what its operations share.
func load(ctx context.Context, o *Options) (*api, error) {
	c, err := newClient(o)
	if err != nil {
		return nil, err
	}
	a := &api{objects: map[*node]bool{}, called: map[string]bool{}, loader: &loader{ctx: ctx, options: o, client: c, files: map[string]*file{}, targets: map[target]found{}}}
	for _, extra := range o.With {
		switch extra {
		case "status":
			a.status = true
		case "headers":
			a.headers = true
		default:
			return nil, fmt.Errorf("with has %s: it takes status and headers", diag.Quote(extra))
		}
	}
	if a.include, err = selectors(o.Include); err == nil {
		a.exclude, err = selectors(o.Exclude)
	}
	if err != nil {
		return nil, err
	}
	if a.file, err = a.open(); err != nil {
		return nil, err
	}
	if err := a.version(); err != nil {
		return nil, err
	}
	if key := a.file.key(); key != "" {
		a.files[key] = a.file
	}
	a.defs = &definitions{api: a, byID: map[string]*definition{}, loose: map[*node]bool{}}
	if a.base, err = a.server(a.servers(a.file.root)); err != nil {
		return nil, err
	}
	if err := a.security(); err != nil {
		return nil, err
	}
	return a, nil
}

// key is what references to a file are kept by.
func (f *file) key() string {
	if f.url != nil {
		return f.url.String()
	}
	return f.path
}

// version refuses what is neither OpenAPI 3 nor Swagger 2.
func (a *api) version() error {
	root := a.file.root
	v, swagger := root.get("openapi"), root.get("swagger")
	switch {
	case !root.is('{'):
		return fmt.Errorf("%s: it is not an OpenAPI document: it is not an object", a.file.name)
	case v == nil && swagger == nil:
		return fmt.Errorf("%s: it is not an OpenAPI document: it has no \"openapi\" and no \"swagger\"", a.file.name)
	case v == nil && swagger.label() != "2.0" && swagger.label() != "2":
		return a.file.fault(swagger, "Swagger %s is not supported: Swagger 2.0, OpenAPI 3.0 and 3.1 are", diag.Quote(swagger.label()))
	case v != nil && !strings.HasPrefix(v.label(), "3."):
		return a.file.fault(v, "OpenAPI %s is not supported: Swagger 2.0, OpenAPI 3.0 and 3.1 are", diag.Quote(v.label()))
	}
	a.swagger = v == nil
	a.old = a.swagger || v.label() == "3.0" || strings.HasPrefix(v.label(), "3.0.")
	return nil
}

// note tells the operator what was left out or changed.
func (a *api) note(format string, args ...any) {
	if a.options.Note != nil {
		a.options.Note(fmt.Sprintf(format, args...))
	}
}

// maxSchemas is how many bytes the schemas of all tools may have: operations may share
// parts that each of their tools repeats.
const maxSchemas = 64 << 20

// tools makes a tool of each operation that is wanted and can be called.
func (a *api) tools(names *apis.Names) ([]Tool, error) {
	a.names = names
	paths, err := a.resolve(a.file.root.get("paths"))
	if err != nil {
		return nil, err
	}
	if paths != nil && !paths.is('{') {
		return nil, a.file.fault(paths, "paths is not an object")
	}
	var operations []*operation
	var first error
	found := 0
	for path, item := range paths.fields() {
		if !strings.HasPrefix(path, "/") {
			continue // an extension
		}
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		list, err := a.pathItem(path, item, &found)
		if _, external := errors.AsType[*externalError](err); external {
			return nil, err
		}
		if err != nil && first == nil {
			first = err
		}
		operations = append(operations, list...)
	}
	switch {
	case len(operations) > 0:
	case first != nil:
		return nil, first
	case found > 0:
		return nil, fmt.Errorf("%s: none of its %d operations is included", a.file.name, found)
	default:
		return nil, fmt.Errorf("%s: it has no operations", a.file.name)
	}
	if left := found - len(operations); first != nil {
		a.note("%d of %d operations are tools, %d are left out or not included", len(operations), found, left)
	}
	a.nameAll(operations)
	a.defs.share(len(operations))
	tools := make([]Tool, 0, len(operations))
	size := 0
	for _, op := range operations {
		input, output := a.defs.input(op), a.defs.output(op)
		op.input = rawSchema(input)
		if size += len(input) + len(output); size > maxSchemas {
			return nil, fmt.Errorf("%s: the schemas of its tools have more than %s: use include to choose operations", a.file.name, apis.Size(maxSchemas))
		}
		tools = append(tools, Tool{Tool: op.definition(input, output), Method: op.method, Path: op.path, operation: op, client: a.client})
	}
	if a.defs.err != nil {
		return nil, a.defs.err
	}
	if n := len(a.defs.loose); n > 0 {
		a.note("oneOf without a discriminator is checked as anyOf (schemas: %d)", n)
	}
	return tools, nil
}

// pathItem reads the operations of one path. One that cannot be read is left out; the
// error is the first of these.
func (a *api) pathItem(path string, at *node, found *int) ([]*operation, error) {
	item, err := a.resolve(at)
	if err != nil {
		a.note("%s is left out: %v", path, err)
		return nil, err
	}
	var operations []*operation
	var first error
	for method, at := range item.fields() {
		if !slices.Contains(methods, method) {
			continue
		}
		*found++
		n, err := a.resolve(at) // the specification has no reference here, and documents have
		if err == nil && !n.is('{') {
			err = a.at(at, "the operation is not an object")
		}
		if err != nil {
			a.note("%s %s is left out: %v", strings.ToUpper(method), path, err)
			if _, external := errors.AsType[*externalError](err); external {
				return nil, err
			}
			first = cmp.Or(first, err)
			continue
		}
		op := &operation{method: strings.ToUpper(method), path: path, id: n.get("operationId").label(), node: n}
		tags, _ := a.list(n.get("tags"))
		for tag := range tags.items() {
			op.tags = append(op.tags, tag.label())
		}
		op.name = toolName(a.options.Prefix, op)
		if a.called[op.name] {
			op.name = listing.Hashed(op.name, op.endpoint())
		}
		a.called[op.name] = true
		if !a.wanted(op) {
			continue
		}
		if err := a.read(op, item); err != nil {
			a.note("%s %s is left out: %v", op.method, op.path, err)
			if _, external := errors.AsType[*externalError](err); external {
				return nil, err
			}
			first = cmp.Or(first, err)
			continue
		}
		operations = append(operations, op)
	}
	return operations, first
}

// wanted reports whether the options choose an operation.
func (a *api) wanted(op *operation) bool {
	if op.node.get("deprecated").is('t') && !a.options.Deprecated {
		return false
	}
	match := func(s selector) bool { return s.matches(op) }
	if slices.ContainsFunc(a.exclude, match) {
		return false
	}
	return len(a.include) == 0 || slices.ContainsFunc(a.include, match)
}

// definition is the tool as MCP lists it.
func (op *operation) definition(input, output []byte) *mcp.Tool {
	yes := true
	hints := &mcp.ToolAnnotations{OpenWorldHint: &yes}
	switch op.method {
	case "GET", "HEAD", "OPTIONS":
		no := false
		hints.ReadOnlyHint, hints.IdempotentHint, hints.DestructiveHint = true, true, &no
	case "PUT", "DELETE":
		hints.IdempotentHint, hints.DestructiveHint = true, &yes
	default:
		hints.DestructiveHint = &yes
	}
	tool := &mcp.Tool{Meta: mcp.Meta{apis.EndpointKey: op.endpoint()}, Name: op.name, Title: op.title(), Description: op.description(), InputSchema: rawSchema(input), Annotations: hints}
	if output != nil {
		tool.OutputSchema = rawSchema(output)
	}
	return tool
}
