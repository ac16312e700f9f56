package torture

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// frameAttack sends a damaged or odd JSON-RPC message.
func frameAttack(r *rand.Rand) attack {
	body := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`,
		pick(r, "1", "1.5", "1e26", `"x"`, "null", "{}", "-0", "99999999999999999999", `"`+strings.Repeat("i", size(r, 100_000))+`"`),
		pick(r, "tools/call", "tools/list", "ping", "resources/read", "prompts/get", "completion/complete", "initialize", strings.Repeat("m", size(r, 10_000))),
		pick(r,
			`{}`, `[]`, `null`, `1`,
			`{"name":"search_nodes","arguments":{"query":"a"}}`,
			`{"name":"search_nodes","arguments":{"query":`+strings.Repeat("[", size(r, 100_000))+`}}`,
			`{"name":"get_run","arguments":{"run_id":"../../etc/passwd","index":1e400}}`,
			`{"uri":"patchbay://graphs/../../x"}`,
			`{"cursor":"`+strings.Repeat("A", size(r, 100_000))+`"}`,
			`{"name":"evaluate","arguments":{"expression":1,"expression":"2","context":`+strings.Repeat(`{"a":`, size(r, 50_000))+`1}}`,
		)))
	for range r.IntN(6) {
		at := r.IntN(len(body))
		switch r.IntN(3) {
		case 0:
			body[at] = byte(r.Uint32())
		case 1:
			body = append(body[:at:at], body[min(at+r.IntN(20), len(body)):]...)
		default:
			body = append(body[:at:at], append([]byte(pick(r, "{", "\\u0000", "\xff", "\n", `"`, "[[[[", "1e999")), body[at:]...)...)
		}
		if len(body) == 0 {
			body = []byte("{")
		}
	}
	return attack{body: body, limit: evalLimit}
}

// A reply is what came back of a request.
type reply struct {
	status int // of HTTP
	text   []byte
}

// kind classifies a reply: ok, invalid (with diagnostics), running, "fault CODE", "error
// CODE" of JSON-RPC, or "refused STATUS" of HTTP.
func (r reply) kind() string {
	var m struct {
		Error *struct {
			Code int
		}
		Result json.RawMessage
	}
	if json.Unmarshal(r.text, &m) != nil {
		switch {
		case r.status == http.StatusAccepted && len(r.text) == 0: // of a notification or a response
			return "accepted"
		case r.status/100 == 2:
			return "unreadable"
		}
		return fmt.Sprint("refused ", r.status)
	}
	if m.Error != nil {
		return fmt.Sprint("error ", m.Error.Code)
	}
	var result struct {
		IsError           bool
		StructuredContent struct {
			Valid       *bool
			Status      string
			Error       *struct{ Code string }
			Diagnostics []struct{ Severity string }
		}
	}
	if json.Unmarshal(m.Result, &result) != nil {
		return "unreadable"
	}
	s := result.StructuredContent
	switch {
	case s.Error != nil:
		return "fault " + s.Error.Code
	case s.Valid != nil && !*s.Valid, s.Status == "rejected", s.Status == "invalid":
		return "invalid"
	case result.IsError && len(s.Diagnostics) > 0:
		return "invalid"
	case result.IsError:
		return "fault"
	}
	return "ok"
}
