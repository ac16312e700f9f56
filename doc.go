// Package patchbay is the map of the product. It holds no code.
//
//		text -> graph.Parse -> graph.Document -> engine.Compile -> engine.Plan -> Plan.Run -> result
//		              \____________ diag.List ____________/
//
//		config -> downstream sessions -> tool lists -> specs -> catalog snapshot -> search index
//
//	  - diag: what is wrong, where, and how to fix it.
//	  - bounded: JSON Schema validation within bounds of time and memory.
//	  - specs: node knowledge as data.
//	  - graph: what an author wrote, with positions; syntax, not meaning.
//	  - expr: JSONata and JSON Logic, compiled once, evaluated with limits.
//	  - engine: node types (kind_*.go), compilation, which is validation, and runs.
//	  - search: the index of specs and its ranking.
//	  - catalog: the live set of specs, in snapshots.
//	  - downstream: sessions with other MCP servers, supervised.
//	  - workspace: the built-in downstream server, read-only files.
//	  - store: saved graphs and recorded runs.
//	  - config: what the operator wrote.
//	  - verbs: what the product can do, one file per verb.
//	  - mcpserver: the MCP face of the verbs.
//	  - cmd/patchbay: flags, wiring and printing.
//
// Who may import whom is the table in imports_test.go.
package patchbay
