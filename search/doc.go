// Package search finds nodes from a sentence. An [Index] holds one immutable
// segment of specs per origin (a server, the built-in kinds, the saved graphs, a
// knowledge pack) and publishes them as a [Snapshot]; a search reads one
// snapshot from beginning to end and takes no lock.
//
// Ranking is BM25F over the node's name, description, parameters, server and
// output, with a few word classes, spelling correction for words no node uses,
// and a limit on look-alikes in the first places. docs/measured/search.md has the
// measurements.
//
// It knows specs, and diag's distance between words: no graphs, no servers, no
// protocol.
package search
