package graphql

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// introspection asks for a schema. What servers before the edition of September 2025 do
// not know is where %s is: they refuse the whole document.
const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType } } } ` +
	`fragment FullType on __Type { kind name description %s fields(includeDeprecated: true) { name description args%s { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } ` +
	`inputFields%s { ...InputValue } interfaces { name } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } } ` +
	`fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue %s } ` +
	`fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`

// introspections are tried in turn.
var introspections = []string{
	fmt.Sprintf(introspection, "isOneOf", "(includeDeprecated: true)", "(includeDeprecated: true)", "isDeprecated deprecationReason"),
	fmt.Sprintf(introspection, "", "(includeDeprecated: true)", "(includeDeprecated: true)", "isDeprecated deprecationReason"),
	fmt.Sprintf(introspection, "", "", "", ""),
}

// introspect asks an endpoint for its schema.
func introspect(ctx context.Context, client *apis.Client, endpoint string) (*ast.SchemaDocument, error) {
	at := apis.Address(endpoint)
	var refusal error
	for _, query := range introspections {
		body, err := json.Marshal(map[string]string{"query": query, "operationName": "IntrospectionQuery"})
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(ctx, &apis.Request{Method: http.MethodPost, URL: endpoint, Header: requestHeader, Body: body, Repeatable: true})
		if err != nil {
			return nil, err
		}
		answer, err := readAnswer(resp)
		switch {
		case err != nil:
			return nil, hinted("the URL may not be a GraphQL endpoint, or its headers are missing; a schema can also be given as SDL", "%s cannot be introspected: it %w", at, err)
		case len(answer.Errors) > 0:
			refusal = hinted("give the schema as SDL in source, and this URL as endpoint", "%s refuses introspection: %s", at, answer.Errors)
			continue
		}
		return parseIntrospection(at, answer.Data)
	}
	return nil, refusal
}

// hinted is a fault with a hint.
func hinted(hint, format string, args ...any) error {
	return diag.Faultf(diag.CodeServerFailed, format, args...).WithHint(hint)
}

// The types of an introspection result.
type (
	introspected struct {
		QueryType, MutationType, SubscriptionType *struct{ Name string }
		Types                                     []introspectedType
	}
	introspectedType struct {
		Kind, Name, Description string
		IsOneOf                 bool
		Fields                  []introspectedField
		InputFields             []introspectedInput
		Interfaces              []struct{ Name string }
		PossibleTypes           []struct{ Name string }
		EnumValues              []introspectedField
	}
	introspectedField struct {
		Name, Description string
		Args              []introspectedInput
		Type              *typeRef
		IsDeprecated      bool
		DeprecationReason string
	}
	introspectedInput struct {
		introspectedField
		DefaultValue *string
	}
	typeRef struct {
		Kind, Name string
		OfType     *typeRef
	}
)

// parseIntrospection reads the JSON of an introspection: {"data": {"__schema": …}}, or what
// is in data, or in __schema.
func parseIntrospection(name string, text []byte) (*ast.SchemaDocument, error) {
	var outer struct {
		Schema *introspected `json:"__schema"`
		Data   *struct {
			Schema *introspected `json:"__schema"`
		}
		Errors answerErrors
	}
	if err := json.Unmarshal(text, &outer); err != nil {
		return nil, fmt.Errorf("%s is not the result of an introspection: %w", name, err)
	}
	schema := outer.Schema
	if schema == nil && outer.Data != nil {
		schema = outer.Data.Schema
	}
	switch {
	case schema == nil && len(outer.Errors) > 0:
		return nil, fmt.Errorf("%s has errors in place of an introspection: %s", name, outer.Errors)
	case schema == nil || len(schema.Types) == 0:
		return nil, fmt.Errorf("%s is not the result of an introspection: it has no __schema with types", name)
	}
	r := &introspectionReader{name: name, at: &ast.Position{Line: 1, Column: 1, Src: &ast.Source{Name: name}}}
	doc := r.document(schema)
	return doc, r.err
}

// operationTypes are the root types by operation.
func (s *introspected) operationTypes() map[ast.Operation]string {
	roots := map[ast.Operation]string{}
	for operation, root := range map[ast.Operation]*struct{ Name string }{ast.Query: s.QueryType, ast.Mutation: s.MutationType, ast.Subscription: s.SubscriptionType} {
		if root != nil && root.Name != "" {
			roots[operation] = root.Name
		}
	}
	return roots
}

func isIntrospectionName(name string) bool { return strings.HasPrefix(name, "__") }
