// Package stdio carries one MCP session over an input and an output, and outlives bad input.
package stdio
