package graphstate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
)

var at = time.Unix(1_700_000_000, 0)

func value(text string) *graphstate.Stored {
	return &graphstate.Stored{Value: json.RawMessage(text), Updated: at}
}

// members are added at [at]; one with a ! expires a second later.
func members(texts ...string) *graphstate.Stored {
	s := &graphstate.Stored{Set: true, Updated: at}
	for _, text := range texts {
		m := graphstate.Member{}
		if rest, expires := strings.CutSuffix(text, "!"); expires {
			text, m.Expires = rest, at.Add(time.Second).UnixMilli()
		}
		m.Value = json.RawMessage(text)
		s.Members = append(s.Members, m)
	}
	return s
}

// TestChange: each change has its result, and what was stored stays as it is.
func TestChange(t *testing.T) {
	expiring := value("1")
	expiring.Expires = at.Add(time.Second)
	for _, tt := range []struct {
		do     string
		given  string
		ttl    time.Duration
		was    *graphstate.Stored
		result string
		list   string // what is stored then, "" for nothing
	}{
		{run.StateGet, "", 0, nil, `{"found":false}`, ""},
		{run.StateGet, "", 0, value("1"), `{"value":1,"found":true}`, "1"},
		{run.StateGet, "", 0, expiring, `{"found":false}`, ""},
		{run.StateGet, "", 0, members("1", "2!"), `{"value":[1],"found":true}`, "[1]"},
		{run.StateSet, "2", 0, nil, `{"changed":true}`, "2"},
		{run.StateSet, "2", 0, value("1"), `{"changed":true,"previous":1}`, "2"},
		{run.StateSet, "1", 0, value("1"), `{"changed":false,"previous":1}`, "1"},
		{run.StateSet, "1", 0, members("1"), `{"changed":true,"previous":[1]}`, "1"},
		{run.StateAdd, "[1,1]", 0, nil, `{"added":[1],"known":[],"count":1}`, "[1]"},
		{run.StateAdd, "[2,1]", time.Minute, members("1"), `{"added":[2],"known":[1],"count":2}`, "[1,2]"},
		{run.StateAdd, "[2]", 0, members("1", "2!"), `{"added":[2],"known":[],"count":2}`, "[1,2]"},
		{run.StateAdd, "[]", 0, members("1!"), `{"added":[],"known":[],"count":0}`, ""},
		{run.StateDelete, "", 0, value("1"), `{"deleted":true}`, ""},
		{run.StateDelete, "", 0, expiring, `{"deleted":false}`, ""},
	} {
		name := tt.do + " " + tt.given
		before, _ := json.Marshal(tt.was)
		is, result, err := graphstate.Change(&run.StateChange{Do: tt.do, Key: "k", Value: json.RawMessage(tt.given), TTL: tt.ttl}, at.Add(time.Second), tt.was, 0)
		if err != nil || string(result) != tt.result {
			t.Errorf("%s: %s %v, want %s", name, result, err, tt.result)
		}
		list := ""
		if is != nil {
			list = string(is.List())
		}
		if list != tt.list {
			t.Errorf("%s: %s is stored, want %s", name, list, tt.list)
		}
		if is != nil && is.Set { // to see that it shares nothing with what was stored
			is.Members[0].Expires = 1
		}
		after, _ := json.Marshal(tt.was)
		if diff := cmp.Diff(string(before), string(after)); diff != "" {
			t.Errorf("%s changes what was stored: %s", name, diff)
		}
	}
}

// TestChangeIsBounded: a graph has so many keys, and a key so many members.
func TestChangeIsBounded(t *testing.T) {
	var many strings.Builder
	for i := range run.MaxMembers + 1 {
		fmt.Fprintf(&many, ",%d", i)
	}
	tooMany := "[" + many.String()[1:] + "]"
	for _, tt := range []struct {
		do     string
		given  string
		was    *graphstate.Stored
		others int
		code   string
	}{
		{run.StateSet, "1", nil, run.MaxStateKeys, "state-full"},
		{run.StateSet, "1", value("0"), run.MaxStateKeys, ""},
		{run.StateAdd, "[1]", nil, run.MaxStateKeys, "state-full"},
		{run.StateAdd, "[1]", nil, run.MaxStateKeys - 1, ""},
		{run.StateGet, "", nil, run.MaxStateKeys, ""},
		{run.StateAdd, tooMany, nil, 0, "state-full"},
		{run.StateAdd, "[1]", value("0"), 0, "bad-request"},
	} {
		_, _, err := graphstate.Change(&run.StateChange{Do: tt.do, Key: "k", Value: json.RawMessage(tt.given)}, at, tt.was, tt.others)
		code := ""
		if f, ok := errors.AsType[*diag.Fault](err); ok {
			code = f.Code
		}
		if code != tt.code || (err == nil) != (tt.code == "") {
			t.Errorf("%s %.9s: %v, want %s", tt.do, tt.given, err, tt.code)
		}
	}
}
