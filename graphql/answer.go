package graphql

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// An answer is the body of a response: data as it came, and errors.
type answer struct {
	Data   json.RawMessage `json:"data"`
	Errors answerErrors    `json:"errors"`
}

// An answerError is one error of a response.
type answerError struct {
	Message    string            `json:"message"`
	Path       []json.RawMessage `json:"path"`
	Extensions struct {
		Code json.RawMessage `json:"code"`
	} `json:"extensions"`
}

// maxErrors is how many errors of a response are shown.
const maxErrors = 10

type answerErrors []answerError

// UnmarshalJSON reads a list of errors, and makes the best of what is not one.
func (e *answerErrors) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		items = []json.RawMessage{raw}
	}
	for _, item := range items {
		var one answerError
		if err := json.Unmarshal(item, &one); err != nil || one.Message == "" {
			var loose struct {
				Message string `json:"message"`
			}
			_ = json.Unmarshal(item, &loose)
			one = answerError{Message: loose.Message}
			if one.Message == "" {
				one.Message = apis.Beginning(item)
			}
		}
		if string(item) != "null" {
			*e = append(*e, one)
		}
	}
	return nil
}

// String has one line for each error.
func (e answerErrors) String() string {
	var lines []string
	for i, one := range e {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("and %d more errors", len(e)-i))
			break
		}
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "\n")
}

// String is the message with its place in the result, such as user.posts[1].title.
func (e answerError) String() string {
	line := diag.Cut(e.Message, 2000)
	if len(e.Path) > 0 {
		line += " (at " + place(e.Path) + ")"
	}
	var code string
	if json.Unmarshal(e.Extensions.Code, &code) == nil && code != "" {
		line += " [" + diag.Excerpt(code) + "]"
	}
	return line
}

func place(path []json.RawMessage) string {
	var b strings.Builder
	for _, step := range path {
		var name string
		switch _, err := strconv.ParseUint(string(step), 10, 64); {
		case err == nil:
			b.WriteString("[" + string(step) + "]")
			continue
		case json.Unmarshal(step, &name) != nil:
			name = string(step)
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return diag.Cut(b.String(), 500)
}

// readAnswer reads a response. Servers give data and errors with any status; the error
// says what came in their place.
func readAnswer(resp *apis.Response) (*answer, error) {
	var read answer
	body := bytes.TrimSpace(apis.ReadBody(resp.Header.Get("Content-Type"), resp.Body).Text)
	isJSON := len(body) > 0 && body[0] == '{' && json.Unmarshal(body, &read) == nil
	switch {
	case isJSON && (len(read.Errors) > 0 || resp.Status/100 == 2 && read.Data != nil):
		return &read, nil
	case resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden:
		return nil, fmt.Errorf("answered with HTTP %d: authentication or authorization failed; check `headers` in the entry of the API%s", resp.Status, quoted(body))
	case resp.Status/100 != 2:
		return nil, fmt.Errorf("answered with HTTP %d%s", resp.Status, quoted(body))
	case len(body) == 0:
		return nil, errors.New("answered with an empty body, expected JSON")
	case isJSON:
		return nil, fmt.Errorf("answered with JSON that has neither data nor errors%s", quoted(body))
	}
	kind := cmp.Or(resp.MediaType(), "no content type")
	return nil, fmt.Errorf("answered with %s that is not JSON%s", kind, quoted(body))
}

// quoted is the beginning of a body, if there is one.
func quoted(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return ": " + apis.Beginning(body)
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// failure is the reply for an answer with errors. Data that came with them is a second
// text.
func (op *operation) failure(a *answer) *mcp.CallToolResult {
	if len(a.Errors) == 0 {
		return apis.Failure("%s failed: the response has no data: %s", op.name, apis.Beginning(a.Data))
	}
	if !isObject(a.Data) || isEmpty(a.Data) {
		return apis.Failure("%s failed: %s", op.name, a.Errors)
	}
	res := apis.Failure("%s returned data with errors; the data follows.\n%s", op.name, a.Errors)
	res.Content = append(res.Content, &mcp.TextContent{Text: string(a.Data)})
	return res
}

// isEmpty reports whether data has no value but null.
func isEmpty(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return true
	}
	for _, v := range fields {
		if string(v) != "null" {
			return false
		}
	}
	return true
}
