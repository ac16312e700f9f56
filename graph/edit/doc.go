// Package edit changes a graph's text by operations on its nodes and edges, and shows how
// two texts differ.
package edit
