// Package setup is the commands with which an operator sets a project up and looks after
// it: init, demo, doctor, mcp add and the others of servers, trust, tokens, permitted
// calls, knowledge packs, skills, graphs from elsewhere, and APIs that are served alone.
package setup
