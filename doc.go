// Package patchbay is the map of the product. It holds no code yet.
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
//   - graph: the document with positions; syntax, not meaning.
//   - jsonata: the language, parsed and linted.
//   - expr: JSONata and JSON Logic, evaluated with limits, and their types.
//   - run: records of runs, intents, decisions.
//   - engine: node types (kind_*.go), compilation, which is validation, and the walk.
//   - engine/local: the runtime in this process.
//   - search: the index of specs and its ranking.
//   - catalog: the live set of specs, in snapshots.
//   - mcpserver: the MCP face of the operations.
//
// Behind them, in internal: app (the operations), cli (the command line), config,
// downstream (sessions with other MCP servers), workspace (the built-in one),
// egress (requests of http nodes), runs (a run's life: Runner and RunStore),
// journal (the stores of runs: SQLite and memory), graphfiles (saved graphs), packs,
// shapes, secrets, telemetry.
//
// Which package may import which is the table in imports_test.go.
package patchbay
