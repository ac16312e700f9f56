// Package patchbay is the library, and the map of the product. [Open] returns an
// [App] over a graph document, servers and tool sources; its methods are the
// operations, and [Main] is the whole command line.
//
//	text -> graph.Parse -> graph.Document -> engine.Compile -> engine.Plan -> Plan.Run -> result
//	              \____________ diag.List ____________/
//
//	config -> downstream sessions -> tool lists -> specs -> catalog snapshot -> search index
//
// Public packages:
//
//   - diag: diagnostics, faults, fixes, rendering.
//   - specs: descriptions of nodes, as data.
//   - types: the type lattice.
//   - schema: JSON Schema, read once.
//   - graph: the document as a tree with positions, and its edits; syntax, not meaning.
//   - jsonata: the language, parsed, linted and evaluated.
//   - expr: JSONata and JSON Logic in the scope of a run, and their types.
//   - run: the record of a run, with its intents and decisions.
//   - engine: node types (kind_*.go), compilation, which is also validation, and execution.
//   - engine/local: the runtime in this process.
//   - search: the index of specs and its ranking.
//   - catalog: the live set of specs, in snapshots.
//   - mcpserver: the operations over MCP.
//   - graphql: GraphQL APIs as tools of an MCP server; usable by itself.
//   - openapi: MCP tools of a REST API that an OpenAPI document describes.
//   - temporal: runs on Temporal, a Go module of its own. In it, wire is what its processes tell each other, walk executes runs as workflows, blobs keeps large values, and states what graphs store.
//   - ui: the built files of the web UI; their source is in ui/app.
//
// In internal: app (the operations), access (who may use a server over HTTP), admission (turns of what computes for long), audit (the log of who called what), cli (the command line),
// clientcode (typed functions for scripts), config, issuer (access tokens of an authorization server), downstream (sessions with other MCP servers), workspace (the built-in one),
// egress (requests of http nodes, and the connections of APIs), embeddings (nodes by meaning), apis (what APIs that become tools have in common), hooks (JavaScript, in child processes), child (processes that end with this one),
// runs (a run's life: Runner and RunStore),
// journal (the stores of runs: SQLite and memory), graphstate (what a change makes of what a graph stores), graphfiles (saved graphs), graphsource (graphs from elsewhere), flowjson
// (workflows of visual editors), files
// (reads, replaces and locks files), cache (bounded caches), formats (numbers of the formats of files), messages (of MCP, as texts), packs, idioms (patterns to copy,
// and the guide), observed (what results of tools look like), drafting (graphs of
// recorded calls and of chosen nodes), schemas (of the files that people write), secrets, serverfile (servers as
// others write them, and edits of patchbay.yaml), startup (the collector while packages are initialized), telemetry, testenv (what tests have in common: their home, limits and builds), timelimit (limits of time that do not count what waits for a person), web (the web UI, served to browsers). In
// internal/protocol, the conformance suite of MCP is run. Programs that measure:
// internal/value (what a saved graph saves), bench/live (how models do),
// internal/size (how much Go the product has). A program that makes packages: internal/packaging.
//
// One word for each notion:
//
//   - Node, Edge: a step of a graph as its author writes it, and what leads from one to the next.
//   - Kind, Modifier: a node type, and a field that changes how nodes of many types execute (retry, foreach).
//   - Spec: the description of a node in the catalog.
//   - Idiom: a pattern of nodes with a graph to copy, or a section of the guide; in the catalog, but not a node.
//   - Downstream: an MCP server whose tools become nodes.
//   - Plan: a document compiled, ready to run.
//   - Run, Step: one execution of a plan, and one execution of a node in it.
//   - Record, Intent: what is stored of a run, and the note, stored before a call, that it is about to be made.
//   - Diagnostic, Fault, Mismatch: what is wrong in a document, in a run or call, and between a value or type and a type.
//   - Decision: what a person or an agent says about a step whose outcome is unknown: retry, skip or pin.
//   - State: in a graph, what it stores for its later runs; in the engine, how far one run has come (engine.State).
//   - Parked: of a run that has stopped for a person, a decision or the next process; its status is interrupted.
//   - Repeatable: of a call that may be made again without harm: read-only or idempotent by what is trusted, or said to be by its author.
//   - Pin: an output given to a step in place of executing it.
//   - Turn: the permission to compute for long, of which there are as many as processors; who has none waits.
//   - Operation: what the command line and MCP offer, such as search_nodes.
//   - Workflow: a graph that runs around the requests of clients and runs; a hook is a node of it that looks at a request or its response.
//   - Draft: a graph that a client has sent and names by a handle.
//   - Rule: of the checker, a diag.Rule with a code and a page in docs/rules; in a graph, the JSON Logic of a switch.
//   - API: a GraphQL endpoint, say, that the operator configured; its operations are the tools of a tool source.
//   - Tool source: an MCP server in this process; to the rest of the program, one more downstream server.
//   - Store: what keeps runs (runs.RunStore): the journal, an SQLite file, or memory.
//   - Project: the runs and learned result types that belong together, by a name or the place of the configuration.
//   - Principal, Actor: whom runs belong to, today always the local user; and who makes a request: a principal, and whether it is the operator.
//
// To add something, follow docs/adding.md:
//
//   - a node type: engine/kind_<type>.go
//   - a field of several node types: engine/modifier_<field>.go, and AllModifiers in engine/modifier.go
//   - a rule of the checker: a diag.Define next to the check, in engine (meaning), graph (syntax) or internal/graphfiles (saved graphs), or in rules.go of internal/config or internal/packs
//   - an idiom: internal/idioms/patterns/<name>.yaml
//   - an operation (a tool, a command or both): internal/app/<operation>.go, and its row in internal/app/operations.go
//   - a tool source: a function that returns an mcp.Server, and its row in serversOf in internal/app/open.go; in a program of your own, Options.Sources
//   - a store of runs: a runs.RunStore in a package of its own in internal, and openStore in internal/app/open.go
//   - a setting: its row in internal/config/settings.go
//
// Which package may import which is the table in imports_test.go.
package patchbay
