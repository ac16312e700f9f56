// Package tooldef reads the definition of a server's tool, says what in it a person should
// look at, keeps what a person approved of it, and makes the catalog's spec of it.
package tooldef
