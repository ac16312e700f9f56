// Package arguments describes the arguments of an operation as a schema, and reads them into
// its input.
package arguments
