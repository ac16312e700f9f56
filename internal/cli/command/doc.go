// Package command is what the commands of the program have in common: their flags, the
// files and the input that they read, the App that they open, the servers that they wait
// for, and how they print results, progress and faults. A command of an operation is
// made of the operation and a [Presenter].
package command
