package graphql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Bounds of a selection that a caller writes.
const (
	maxSelect       = 20_000 // bytes
	maxSelectTokens = 5000
)

// validate checks a document against the schema.
func (a *api) validate(document string) error {
	doc, err := parser.ParseQuery(&ast.Source{Input: document})
	if err != nil {
		return err
	}
	return a.validateDocument(doc)
}

func (a *api) validateDocument(doc *ast.QueryDocument) error {
	found := validator.Validate(a.schema, doc) //nolint:staticcheck // its successor sorts the rules at each call, a third of the time
	if len(found) > 0 {
		return errors.New(found[0].Message)
	}
	return nil
}

// withSelection is the document of an operation with a caller's selection, which is
// parsed by itself, so that it cannot end the document's own, and validated.
func (op *operation) withSelection(text string) (string, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		text = strings.TrimSuffix(inner, "}")
	}
	if len(text) > maxSelect {
		return "", fmt.Errorf("it has more than %d bytes", maxSelect)
	}
	own, err := parser.ParseQueryWithTokenLimit(&ast.Source{Name: op.selectArg, Input: "{" + text + "\n}"}, maxSelectTokens)
	if err != nil {
		return "", err
	}
	if len(own.Operations) != 1 || len(own.Fragments) > 0 || len(own.Operations[0].Directives) > 0 {
		return "", errors.New("it is not one selection, such as: id name author { name }")
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: op.head + " { __typename } }"})
	if err != nil {
		return "", err
	}
	field, ok := doc.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok {
		return "", errors.New("the operation has no field")
	}
	field.SelectionSet = own.Operations[0].SelectionSet
	if err := op.api.validateDocument(doc); err != nil {
		return "", err
	}
	var b strings.Builder
	formatter.NewFormatter(&b, formatter.WithIndent("")).FormatQueryDocument(doc)
	return strings.TrimSpace(b.String()), nil
}
