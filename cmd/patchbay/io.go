package main

import (
	"io"

	"github.com/spf13/cobra"
)

// input is the command's standard input, to be closed by whoever reads it.
func input(cmd *cobra.Command) io.ReadCloser { return io.NopCloser(cmd.InOrStdin()) }

// output is the command's standard output.
func output(cmd *cobra.Command) io.WriteCloser { return nopWriteCloser{cmd.OutOrStdout()} }

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
