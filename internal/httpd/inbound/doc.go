// Package inbound has what people and services reach without MCP: the pages on which a
// person answers the question of a run, and webhooks, which start graphs.
package inbound
