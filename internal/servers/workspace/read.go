package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// readText returns a file's text, or its first or last lines, as they are.
func (f *folder) readText(ctx context.Context, a args) (string, error) {
	text, err := f.readBytes(ctx, a)
	for i, c := range text {
		if r, size := utf8.DecodeRuneInString(text[i:]); c == utf8.RuneError && r == c && size == 1 {
			return "", fmt.Errorf("%q is not UTF-8 text: byte %d of what was read is 0x%02x; convert the file to UTF-8", a.Path, i+1, text[i])
		}
	}
	return text, err
}

func (f *folder) readBytes(ctx context.Context, a args) (string, error) {
	if a.Head > 0 && a.Tail > 0 {
		return "", errors.New("give head or tail, not both")
	}
	rel, err := f.resolve(a.Path)
	if err != nil {
		return "", err
	}
	file, err := f.root.OpenFile(rel, files.OpenAtOnce, 0)
	if err != nil {
		return "", fmt.Errorf("%w: %q", files.Reason(err), a.Path)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %q", files.Reason(err), a.Path)
	case info.IsDir():
		return "", fmt.Errorf("%q is a directory; list_directory lists it", a.Path)
	case !info.Mode().IsRegular():
		// A pipe or device would be waited for without end.
		return "", fmt.Errorf("%q is not a regular file", a.Path)
	}
	switch {
	case a.Head > 0:
		return head(ctx, file, lines(a.Head))
	case a.Tail > 0:
		return tail(ctx, file, info.Size(), lines(a.Tail))
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return "", fmt.Errorf("%w: %q", files.Reason(err), a.Path)
	}
	if len(text) > maxFileBytes {
		return "", fmt.Errorf("%q has %d bytes, more than the maximum of %d; read a part of it with head or tail", a.Path, info.Size(), maxFileBytes)
	}
	return string(text), nil
}

func lines(n float64) int { return int(math.Ceil(min(n, math.MaxInt32))) }

func tooLong() error {
	return fmt.Errorf("those lines have more than %d bytes, the maximum; ask for fewer", maxFileBytes)
}

// head returns the first n lines without the newline of the last.
func head(ctx context.Context, r io.Reader, n int) (string, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var out bytes.Buffer
	for done := 0; done < n; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		part, err := in.ReadSlice('\n')
		if out.Len()+len(part) > maxFileBytes {
			return "", tooLong()
		}
		out.Write(part)
		switch {
		case err == nil:
			done++
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return strings.TrimSuffix(out.String(), "\n"), nil
		default:
			return "", files.Reason(err)
		}
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// tail returns the last n lines; what follows a last newline counts as a line, an empty one.
func tail(ctx context.Context, file *os.File, size int64, n int) (string, error) {
	const chunk = 64 << 10
	var text []byte
	newlines := 0
	for at := size; at > 0 && newlines < n; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		length := min(int64(chunk), at)
		at -= length
		part := make([]byte, length, length+int64(len(text)))
		if _, err := file.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return "", files.Reason(err)
		}
		newlines += bytes.Count(part, []byte{'\n'})
		text = append(part, text...)
		if len(text) > maxFileBytes+chunk {
			return "", tooLong()
		}
	}
	all := strings.Split(string(text), "\n")
	out := strings.Join(all[max(0, len(all)-n):], "\n")
	if len(out) > maxFileBytes {
		return "", tooLong()
	}
	return out, nil
}

// info returns "name: value" lines about a file or directory. Times are in UTC.
func (f *folder) info(_ context.Context, a args) (string, error) {
	rel, err := f.resolve(a.Path)
	if err != nil {
		return "", err
	}
	i, err := f.root.Stat(rel)
	if err != nil {
		return "", fmt.Errorf("%w: %q", files.Reason(err), a.Path)
	}
	created, accessed := f.times(rel, i)
	return fmt.Sprintf("size: %d\ncreated: %s\nmodified: %s\naccessed: %s\nisDirectory: %t\nisFile: %t\npermissions: %03o",
		i.Size(), date(created), date(i.ModTime()), date(accessed), i.IsDir(), i.Mode().IsRegular(), i.Mode().Perm()), nil
}

// date writes a time the way JavaScript does, which graphs for the npm server
// may parse: to the nearest millisecond; the whole seconds are shown.
func date(t time.Time) string {
	return t.UTC().Round(time.Millisecond).Format("Mon Jan 02 2006 15:04:05") + " GMT+0000 (Coordinated Universal Time)"
}
