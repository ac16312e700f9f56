// Package graph is the document model: what an author wrote, with the exact
// place of every part, and edits of it that keep comments and layout. It knows
// syntax and shape. It does not know what a node type is, what an expression
// says or which keys are legal: the engine does.
//
// A document is YAML or JSON with JSON's data model. Of our packages it imports
// diag only.
package graph
