package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// readText returns a file's text. It refuses what is no regular file, which
// might never end, and what no parser will take.
func readText(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", bare(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", bare(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, graph.MaxBytes+1))
	if err != nil {
		return "", bare(err)
	}
	if len(text) > graph.MaxBytes {
		return "", fmt.Errorf("it is larger than the limit of %d MB", graph.MaxBytes>>20)
	}
	return string(text), nil
}

// bare drops the operation and the path, which our own message names.
func bare(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// blankComments replaces // and /* */ comments of a JSON text by spaces: several
// editors write them into their mcp.json. Every other byte stays in its place.
func blankComments(src string) string {
	if !strings.HasPrefix(strings.TrimLeft(src, "\ufeff \t\r\n/"), "{") && !strings.HasPrefix(strings.TrimLeft(src, "\ufeff \t\r\n"), "/*") {
		return src
	}
	out := []byte(src)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '/':
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case out[i] == '/' && i+1 < len(out) && out[i+1] == '*':
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return src
			}
			for end += i + 4; i < end; i++ {
				if out[i] != '\n' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return string(out)
}
