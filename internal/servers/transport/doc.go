// Package transport carries messages to a server and back, below the SDK: it keeps the bytes
// of answers, counts the notifications beside them, and keeps what a server writes to stderr.
package transport
