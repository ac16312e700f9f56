package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// Bounds on the file that keeps what a server writes to stderr.
const (
	maxLog     = 256 << 10 // bytes, then the older half is dropped
	maxLogLine = 4 << 10   // bytes of one line
	maxBefore  = 1 << 10   // bytes of earlier lines that are looked at again
)

// A LogFile keeps the end of what a server writes to stderr where other processes of the
// operator can read it, line by line and with secrets masked.
type LogFile struct {
	Path   string // "" keeps nothing
	Redact func(string) string

	mu     sync.Mutex
	line   []byte // that has not ended
	cut    bool   // the rest of that line is dropped
	before string // the last lines, as the server wrote them: a secret may be wrapped over lines
}

// Start writes a line that separates the processes of a server.
func (l *LogFile) Start(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append([]byte("--- started " + now.UTC().Format(time.RFC3339) + "\n"))
}

func (l *LogFile) Write(p []byte) (int, error) {
	if l.Path == "" {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []byte
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if room := maxLogLine - len(l.line); len(part) > room {
			part, l.cut = part[:room], true
		}
		l.line = append(l.line, part...)
		if ended {
			lines = append(lines, l.ended()...)
		}
	}
	if len(lines) > 0 {
		l.append(l.masked(string(lines)))
	}
	return len(p), nil
}

// masked masks the secrets in lines, also one that begins in the lines before, or that may
// go on in the next.
func (l *LogFile) masked(lines string) []byte {
	const cut = "…" // what a Redactor takes for the end of a text that was cut
	all := l.before + strings.TrimSuffix(lines, "\n")
	shown := strings.TrimSuffix(l.Redact(all+cut), cut) + "\n"
	if l.before != "" {
		for range 1 + strings.Count(l.Redact(strings.TrimSuffix(l.before, "\n")+cut), "\n") {
			_, shown, _ = strings.Cut(shown, "\n")
		}
	}
	l.before = all[max(0, len(all)-maxBefore):] + "\n"
	if len(all) > maxBefore {
		_, l.before, _ = strings.Cut(l.before, "\n")
	}
	return []byte(shown)
}

// ended takes the line that has ended. One that was cut is dropped, as its end may be
// the beginning of a secret.
func (l *LogFile) ended() []byte {
	text := string(l.line)
	if l.cut {
		text = "(a line of more than 4 KiB is left out)"
	}
	l.line, l.cut = l.line[:0], false
	text, _ = tooldef.Visible(strings.ToValidUTF8(text, "\uFFFD"))
	return []byte(text + "\n")
}

// append writes to the file, and drops its older half when it is too large. What cannot be
// written is lost: a full disk must not stop a server.
func (l *LogFile) append(text []byte) {
	if l.Path == "" || len(text) == 0 {
		return
	}
	if os.MkdirAll(filepath.Dir(l.Path), 0o700) != nil {
		return
	}
	if info, err := os.Stat(l.Path); err == nil && info.Size()+int64(len(text)) > maxLog {
		old, _ := files.Read(l.Path, 4*maxLog)
		old = old[max(0, len(old)-maxLog/2):]
		_, old, _ = bytes.Cut(old, []byte{'\n'})
		_ = files.Write(l.Path, old, 0o600)
	}
	f, err := os.OpenFile(l.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(text[max(0, len(text)-maxLog):])
	_ = f.Close()
}

// LogMethod is the notification by which a server logs.
const LogMethod = "notifications/message"

// Logs counts what the server of a gateway logs. The SDK handles notifications beside
// replies, and a client hears nothing about a call after its reply.
type Logs struct {
	mu             sync.Mutex
	arrived, heard int
	waiting        map[chan struct{}]int // closed when so many are heard
}

// arrive counts a message that has been read and is going to be heard.
func (l *Logs) arrive(params json.RawMessage) {
	if json.Unmarshal(params, &mcp.LoggingMessageParams{}) != nil {
		return // the SDK drops it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrived++
}

// Hear counts a message that has been passed on.
func (l *Logs) Hear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard++
	for settled, count := range l.waiting {
		if l.heard >= count {
			close(settled)
			delete(l.waiting, settled)
		}
	}
}

// Await returns when all that has arrived is passed on, ctx ends or the session is over.
func (l *Logs) Await(ctx context.Context, over <-chan struct{}) {
	l.mu.Lock()
	if l.heard >= l.arrived {
		l.mu.Unlock()
		return
	}
	settled := make(chan struct{})
	if l.waiting == nil {
		l.waiting = map[chan struct{}]int{}
	}
	l.waiting[settled] = l.arrived
	l.mu.Unlock()
	select {
	case <-settled:
		return
	case <-ctx.Done():
	case <-over:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, settled)
}
