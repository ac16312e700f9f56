// Package graph is the document model: what an author wrote, with the exact
// place of every part, and edits of it that keep comments and layout. It knows
// syntax and shape. It does not know what a node type is, what an expression
// says or which keys are legal: the engine does.
//
// A document is YAML or JSON with JSON's data model. [Parse] reads the text;
// [Document.Tree] is the document by the names of the format: its [Tool]s, their
// [Node]s, and the [Edge]s, [Condition]s and [Expr]s of those, each with its
// place. What an author wrote instead of the format is not in the tree; the
// engine recovers it. Of our packages it imports diag and expr only.
package graph
