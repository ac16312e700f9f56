package graphql

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// maxTokens bounds the SDL that is parsed: what fits into [apis.MaxSource] could take a
// gigabyte as a tree.
const maxTokens = 2_000_000

// maxFiles is how many files a glob may match.
const maxFiles = 2000

// schemaExtensions are those of URLs of a schema, rather than of an endpoint.
var schemaExtensions = []string{".graphql", ".graphqls", ".gql", ".sdl", ".json", ".txt"}

// keywords begin SDL of one line without a brace, such as "scalar Date".
var keywords = []string{"type ", "schema ", "input ", "enum ", "interface ", "union ", "scalar ", "extend ", "directive "}

// read returns the definitions of the source, and notes the endpoint if the source is one.
func (a *api) read(ctx context.Context) (*ast.SchemaDocument, error) {
	source := strings.TrimSpace(a.o.Source)
	switch {
	case source == "":
		return nil, errors.New("there is no source: give a schema, or the URL of a GraphQL endpoint")
	case apis.IsURL(source):
		return a.readURL(ctx, source)
	case apis.IsText(source) || slices.ContainsFunc(keywords, func(word string) bool { return strings.HasPrefix(source, word) }):
		return parse("the schema", []byte(a.o.Source))
	case strings.ContainsAny(source, "*?["):
		return readGlob(source)
	}
	text, err := apis.ReadFile(source)
	if err != nil {
		return nil, err
	}
	return parse(source, text)
}

// readURL reads a schema that is at a URL, or introspects the endpoint that is there.
func (a *api) readURL(ctx context.Context, source string) (*ast.SchemaDocument, error) {
	client := apis.NewClient(apis.ClientOptions{Transport: a.o.Transport, Headers: a.o.Headers, Timeout: a.o.Timeout, MaxBytes: apis.MaxSource})
	u, err := url.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", apis.Address(source))
	}
	if !slices.Contains(schemaExtensions, strings.ToLower(path.Ext(u.Path))) {
		a.endpoint = cmp.Or(a.endpoint, source)
		return introspect(ctx, client, source)
	}
	if a.endpoint != "" && !apis.SameOrigin(source, a.endpoint) { // the headers are those of the API
		client = apis.NewClient(apis.ClientOptions{Transport: a.o.Transport, Timeout: a.o.Timeout, MaxBytes: apis.MaxSource})
	}
	resp, err := client.Fetch(ctx, source, "text/plain, application/graphql, application/json;q=0.9, */*;q=0.5")
	if err != nil {
		return nil, err
	}
	if resp.MediaType() == "text/html" {
		return nil, fmt.Errorf("%s answered with HTML, not with a schema: %s", apis.Address(source), apis.Beginning(resp.Body))
	}
	return parse(apis.Address(source), resp.Body)
}

// readGlob reads all files that a pattern matches, in the order of their names.
func readGlob(pattern string) (*ast.SchemaDocument, error) {
	matched, err := filepath.Glob(pattern)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not a pattern of file names", pattern)
	case len(matched) == 0:
		return nil, fmt.Errorf("no files match %s", pattern)
	case len(matched) > maxFiles:
		return nil, fmt.Errorf("%s matches more than %d files", pattern, maxFiles)
	}
	all := &ast.SchemaDocument{}
	size := 0
	for _, file := range matched {
		text, err := apis.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > apis.MaxSource {
			return nil, fmt.Errorf("the files that match %s are larger than %s", pattern, apis.Size(apis.MaxSource))
		}
		doc, err := parse(file, text)
		if err != nil {
			return nil, err
		}
		all.Merge(doc)
	}
	return all, nil
}

// parse reads a schema: JSON is the result of an introspection, anything else SDL.
func parse(name string, text []byte) (*ast.SchemaDocument, error) {
	if len(text) > apis.MaxSource {
		return nil, fmt.Errorf("%s is larger than %s", name, apis.Size(apis.MaxSource))
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	if trimmed[0] == '{' {
		return parseIntrospection(name, trimmed)
	}
	doc, err := parser.ParseSchemaWithLimit(&ast.Source{Name: name, Input: string(text)}, maxTokens)
	if err != nil {
		return nil, fmt.Errorf("the GraphQL schema is not valid: %w", err)
	}
	return doc, nil
}
