package downstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// cacheFormat is the first line of a cache file. A program of another format keeps its lists
// in files of other names.
var cacheFormat = fmt.Sprintf("patchbay tools %d", formats.Tools.Version)

// maxCacheFile is the size in bytes of the largest list that is read.
const maxCacheFile = 1 << 30

// A cached file is its format line, a JSON line for the server, and for each
// tool a JSON line followed by the bytes of its schemas: a thousand tools are
// then read without parsing a schema.
type cachedServer struct {
	Server string `json:"server"`
	Pinned bool   `json:"pinned,omitempty"` // it does not know server/discover
	Tools  int    `json:"tools"`
}

type cachedTool struct {
	*tooldef.Tool
	Input  int `json:"input"` // bytes of the input schema
	Output int `json:"output"`
	Raw    int `json:"raw,omitempty"` // bytes of the whole definition, where it is kept
}

// fileName names a server by its identity: what is run or connected to, and the names,
// not the values, of env and headers. Another format makes another name.
func fileName(format string, s *Server, redact func(string) string) string {
	where := ""
	if s.URL != "" {
		where = address(s.URL)
	}
	if s.Load != nil {
		where = s.Source
	}
	identity, _ := json.Marshal([]any{format, s.Name, s.Transport, s.Command, redact(strings.Join(s.Args, "\x00")), s.Cwd, redact(where), slices.Sorted(maps.Keys(s.Env)), slices.Sorted(maps.Keys(s.Headers))})
	if s.Confine.Confined() {
		confined, _ := json.Marshal(s.Confine)
		identity = append(identity, confined...)
	}
	readable := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, diag.Cut(s.Name, 60))
	return readable + "-" + files.Hash(string(identity))[:16]
}

func writeCache(file string, head cachedServer, tools []*tooldef.Tool) error {
	var out bytes.Buffer
	out.WriteString(cacheFormat + "\n")
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	head.Tools = len(tools)
	if err := e.Encode(head); err != nil {
		return err
	}
	for _, t := range tools {
		if err := e.Encode(cachedTool{t, len(t.InputSchema), len(t.OutputSchema), len(t.Raw)}); err != nil {
			return err
		}
		out.Write(t.InputSchema)
		out.Write(t.OutputSchema)
		out.Write(t.Raw)
		out.WriteByte('\n')
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return files.Write(file, out.Bytes(), 0o600) // two programs may write at once
}

// readCache returns the list that a file has. An error means that it has no usable one:
// the file is absent, damaged or of another format.
func readCache(file string, trusted bool) (cachedServer, []*tooldef.Tool, error) {
	var head cachedServer
	data, err := files.Read(file, maxCacheFile)
	if err != nil {
		return head, nil, err
	}
	line := func() []byte {
		text, rest, ok := bytes.Cut(data, []byte{'\n'})
		if !ok {
			data = nil
			return nil
		}
		data = rest
		return text
	}
	if string(line()) != cacheFormat {
		return head, nil, errors.New("not a list of tools in a format known here")
	}
	if err := json.Unmarshal(line(), &head); err != nil {
		return head, nil, err
	}
	tools := make([]*tooldef.Tool, 0, min(max(head.Tools, 0), maxTools))
	for range head.Tools {
		c := cachedTool{Tool: &tooldef.Tool{Server: head.Server}}
		if err := json.Unmarshal(line(), &c); err != nil {
			return head, nil, err
		}
		if c.Input < 2 || c.Output < 0 || c.Raw < 0 || c.Input > len(data) || c.Output > len(data)-c.Input-1 || c.Raw > len(data)-c.Input-c.Output-1 || c.Name == "" {
			return head, nil, fmt.Errorf("damaged at the tool %q", c.Name)
		}
		c.InputSchema = data[:c.Input:c.Input]
		if c.Output > 0 {
			c.OutputSchema = data[c.Input : c.Input+c.Output : c.Input+c.Output]
		}
		size := c.Input + c.Output + c.Raw
		if c.Raw > 0 {
			c.Tool.Raw = data[c.Input+c.Output : size : size]
		}
		if data[size] != '\n' || c.InputSchema[0] != '{' {
			return head, nil, fmt.Errorf("damaged at the tool %q", c.Name)
		}
		data = data[size+1:]
		if c.Annotations != nil {
			c.Annotations.Trusted = trusted
		}
		tools = append(tools, c.Tool)
	}
	return head, tools, nil
}
