// Package store keeps what outlives a call: saved graphs, as one text file
// each in a directory people can read and edit, and the records of runs, in memory
// or in a journal on disk that they can go on from.
//
// It knows documents only as text with a name; whether a graph is valid, and what
// a run's record means, is the engine's business. It imports engine's records,
// graph, expr and diag.
package store
