// Package hostile makes folders as a stranger could send them, runs every command of the
// program in them, and has only tests. A hostile folder has each setting of patchbay.yaml
// with a value that starts, calls, reads or writes something, and files in every role that
// has a meaning to the program. The tests fail if the program does any of it.
package hostile
