// Package torture attacks a running server with generated input, and has only tests:
// schemas, arguments, documents, expressions, rules, lists of tools, results of tools
// and frames. A watchdog compares the time of each answer with its limit, the memory of
// the process with the configured limit, and the time that other clients wait. The
// figures of the long run, make torture, are in docs/measured/reliability.md.
package torture
