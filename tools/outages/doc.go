// Package outages has only tests. Real servers behind a running Patchbay are killed, hung,
// flooded, changed and restarted while many clients call their tools. Each call has a value
// of its own, and must end with it, or with an error that names the server. The figures of
// the long run, make outages, are in docs/measured/reliability.md.
package outages
