// Package patchbay is the library, and the map of the product. [Open] returns an
// [App] over a graph document, servers and tool sources; its methods are the
// operations, and [Main] is the whole command line.
//
//	text -> graph.Parse -> graph.Document -> engine.Compile -> engine.Plan -> Plan.Run -> result
//	              \____________ diag.List ____________/
//
//	config -> downstream sessions -> tool lists -> specs -> catalog snapshot -> search index
//
// What programs may import:
//
//   - diag: diagnostics, faults, fixes, rendering.
//   - specs: descriptions of nodes, as data.
//   - types: the type lattice.
//   - schema: JSON Schema, read once.
//   - graph: the document as a tree with positions; syntax, not meaning. graph/edit changes it by operations.
//   - jsonata: the language, parsed, linted and evaluated.
//   - expr: JSONata and JSON Logic in the scope of a run, and their types.
//   - run: the record of a run, with its intents and decisions.
//   - engine: node types (kind_*.go), compilation, which is also validation, and execution; engine/local runs plans in this process.
//   - search: the index of specs and its ranking.
//   - catalog: the live set of specs, in snapshots.
//   - mcpserver: the operations over MCP.
//   - graphql, openapi: the tools of an API, each usable by itself.
//   - temporal: runs on Temporal, a module of its own.
//   - ui: the built files of the web UI; their source is in ui/app.
//
// Features, in internal:
//
//   - app: the services put together, and the one table of operations.
//   - request, process: who an operation is done for; what the services share.
//   - reply: traces, differences, types and content as replies show them.
//   - plans: what graphs are built of and compiled to: the catalog, saved graphs, drafts, pins.
//   - discover: search, lists and details of nodes; patterns to copy, search by meaning.
//   - packs: descriptions of the nodes of other systems.
//   - author: check, evaluate, prove, export; drafts from recorded calls, typed functions.
//   - library: saving, tests, revisions, edits, graphs from elsewhere, changed tools.
//   - execution: runs, cases, questions, schedules, webhooks.
//   - around: workflows around calls, and their scripts.
//   - policy: who may use what, and what a person has permitted.
//   - servers: MCP servers, APIs, http requests, the gateway, the built-in workspace.
//   - config: what the operator wrote, and the trust in it.
//   - cli: the command line; cli/setup is what an operator sets up with, cli/command what commands share.
//
// Plumbing, in internal:
//
//   - store: runs, what graphs store, what results look like, on disk.
//   - httpd: what stands in front of HTTP handlers; the page, and tokens of an authorization server.
//   - secrets: what is masked.
//   - regex: regular expressions as JavaScript reads them.
//   - sys: turns and memory, children, caches, files, lists, telemetry.
//   - tests: what tests of several packages share.
//
// Programs that measure, attack, prove and package are in tools.
// Examples are in examples, fixtures in testdata, what is only published in packaging.
//
// docs/internals.md says how the parts work together, and has one word for each notion;
// docs/adding.md says how to add something. Which package may import which is the table
// in imports_test.go.
package patchbay
