// Package store keeps what outlives a call: saved graphs, as one text file
// each in a directory people can read and edit, and the records of recent runs.
//
// It knows documents only as text with a name; whether a graph is valid is the
// engine's business. It imports graph and diag.
package store
