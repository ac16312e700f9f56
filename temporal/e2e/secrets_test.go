package e2e_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
)

// token is the value of a secret, which the graph of the test names and its argument has.
const token = "e2e-9f1c77aa53d04b6cb8a2"

const secretive = `name: secretive
inputSchema: {type: object, properties: {token: {type: string}}, required: [token]}
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: counter, tool: repeat, args: {text: {expr: $.entry.token}}, next: ask}
  - {id: ask, type: ask, message: Continue?, next: second}
  - {id: second, type: mcp, server: counter, tool: repeat, args: {text: {expr: '$.first.text & "` + token + `"'}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $length($.second.text)}'}}
`

const refused = `name: refused
inputSchema: {type: object, properties: {token: {type: string}}, required: [token]}
nodes:
  - {id: entry, type: entry, next: refuse}
  - {id: refuse, type: transform, transform: {expr: '$error("refused with " & $.entry.token)'}, next: exit}
  - {id: exit, type: exit}
`

// The calls of a run get the value of a secret, and the history has its name, also that of a
// run that fails with it.
func TestSecretsAreNotInTheHistory(t *testing.T) {
	s := newSite(t, secretive)
	s.env = []string{"E2E_TOKEN=" + token}
	s.write("patchbay.yaml", s.text("patchbay.yaml")+"secrets: [\"${E2E_TOKEN}\"]\n")
	s.write("refused.yaml", refused)
	first := s.work()
	o := <-s.run("token=" + token)
	if o.Status != "interrupted" {
		t.Fatalf("%s %s", o.Status, o.Error)
	}
	s.kill(first)
	s.work()
	o = s.do("runs", "answer", o.RunID, "accept")
	if calls := s.calls(); o.Status != "succeeded" || o.Result.N != 2*len(token) || len(calls) != 2 || calls[0].n != len(token) || calls[1].n != 2*len(token) {
		t.Fatalf("%s %s %+v, calls %v", o.Status, o.Error, o.Result, calls)
	}
	s.named(o.RunID)
	if o = <-s.runFile("refused.yaml", "token="+token); o.Status != "failed" || !strings.Contains(string(o.Error), "refused with ") {
		t.Fatalf("%s %s", o.Status, o.Error)
	}
	s.named(o.RunID)
}

// named looks for the token in the history of a run and in what is shown of it. The history
// has its name.
func (s *site) named(id string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	named := false
	for _, e := range s.events(ctx, s.dial(ctx), id, "") {
		b, err := proto.Marshal(e)
		if err != nil {
			s.t.Fatal(err)
		}
		if i := bytes.Index(b, []byte(token)); i >= 0 {
			s.t.Errorf("event %d has the value of the secret: %s", e.GetEventId(), b[max(0, i-200):i+len(token)])
		}
		named = named || bytes.Contains(b, []byte("E2E_TOKEN"))
	}
	if !named {
		s.t.Error("the history does not have the name of the secret")
	}
	if said := s.output("runs", "show", id); strings.Contains(said, token) {
		s.t.Errorf("runs show says %s", said)
	}
}
