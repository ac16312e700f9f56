package inbound_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/httpd/inbound"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// offered is an App over saved graphs, with its webhooks and answer pages over HTTP.
func offered(t *testing.T, cfg config.Config, graphs map[string]string) (*app.App, string) {
	t.Helper()
	cfg.GraphsDir, cfg.Runs.Memory, cfg.StateDir = t.TempDir(), true, t.TempDir()
	for name, text := range graphs {
		if err := os.WriteFile(filepath.Join(cfg.GraphsDir, name+".yaml"), []byte("name: "+name+"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pb, err := app.Open(t.Context(), &cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	mux := http.NewServeMux()
	mux.Handle("POST /hooks/{name}", inbound.Webhooks(pb, httpd.Options{}, 0))
	mux.Handle(execution.AnswerPath+"{token}", inbound.Answers(pb, httpd.Options{}, nil))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	pb.Links.ListensAt(server.URL)
	return pb, server.URL
}

// send makes a request; header is pairs of names and values.
func send(t *testing.T, method, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

const doubling = `inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"twice": $.entry.n * 2}'}}
`

const wrapped = `inputSchema: {type: object, properties: {payload: {}}, required: [payload]}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"got": $.entry.payload}'}}
`

func TestWebhooks(t *testing.T) {
	pb, at := offered(t, config.Config{Webhooks: []config.Webhook{
		{Name: "open", Graph: "double"}, {Name: "tokened", Graph: "double", Token: "a long token"}, {Name: "signed", Graph: "wrap", Secret: "s3cret", Body: "payload"}, {Name: "lost", Graph: "none"},
	}}, map[string]string{"double": doubling, "wrap": wrapped})
	mac := hmac.New(sha256.New, []byte("s3cret"))
	_, _ = mac.Write([]byte(`[1]`))
	signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, test := range []struct {
		path, body string
		header     []string
		status     int
		want       string
	}{
		{"open?wait", `{"n":21}`, nil, 200, `"result":{"twice":42}`},
		{"open?wait=5", `{"n":"x"}`, nil, 422, `"code":"invalid-arguments"`},
		{"open", `{"n":1}`, nil, 202, `"run_id":"run_`},
		{"open", `[1]`, nil, 400, "not a JSON object"},
		{"open", `n=1`, nil, 400, "not JSON"},
		{"tokened?wait", `{"n":1}`, []string{"Authorization", "Bearer a long token"}, 200, `"twice":2`},
		{"tokened?wait", `{"n":1}`, []string{"Authorization", "Bearer another one"}, 401, "not-accepted"},
		{"tokened?wait", `{"n":1}`, nil, 401, "not-accepted"},
		{"signed?wait", `[1]`, []string{"X-Hub-Signature-256", signature}, 200, `"got":[1]`},
		{"signed?wait", `[2]`, []string{"X-Hub-Signature-256", signature}, 401, "not-accepted"},
		{"signed?wait", `[1]`, nil, 401, "not-accepted"},
		{"lost", `{}`, nil, 503, `"code":"unknown-graph"`},
		{"none", `{}`, nil, 404, "unknown-webhook"},
		{"open", `{"n":1}`, []string{"Origin", "https://elsewhere.example"}, 403, "Origin"},
	} {
		status, _, body := send(t, http.MethodPost, at+"/hooks/"+test.path, test.body, test.header...)
		if status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s %v: %d %s, want %d with %s", test.path, test.body, test.header, status, body, test.status, test.want)
		}
	}
	r, fault := pb.Runs(request.WithActor(t.Context(), run.Actor{Principal: "local"}), execution.RunsInput{Graph: "wrap"})
	if fault != nil || len(r.Runs) != 1 {
		t.Errorf("runs of the local user: %+v, %v", r, fault)
	}
}

// TestWebhooksCount: a request that starts a graph with the token of a principal counts for
// its quota.
func TestWebhooksCount(t *testing.T) {
	pb, _ := offered(t, config.Config{Webhooks: []config.Webhook{{Name: "open", Graph: "double"}}}, map[string]string{"double": doubling})
	tokens := access.Open(filepath.Join(t.TempDir(), "tokens.json"))
	secret, fault := tokens.Add(access.Token{Name: "few", Rights: access.Rights{Scopes: access.Scopes}, Quota: access.Quota{Calls: 1, Per: time.Hour}})
	if fault != nil {
		t.Fatal(fault)
	}
	mux := http.NewServeMux()
	mux.Handle("POST /hooks/{name}", inbound.Webhooks(pb, httpd.Options{Auth: &httpd.Auth{Tokens: tokens, Required: true}}, 0))
	server := httptest.NewServer(mux)
	defer server.Close()
	for i, want := range []int{200, 429} {
		status, header, body := send(t, http.MethodPost, server.URL+"/hooks/open?wait", `{"n":1}`, "Authorization", "Bearer "+secret)
		if status != want || (header.Get("Retry-After") != "") != (want == 429) {
			t.Errorf("request %d: %d %s, want %d", i, status, body, want)
		}
	}
}

// TestWebhooksAreNotReplayed: of a sender that says when or as which delivery it has sent a
// request, and signs that or the body, a request is accepted once, and soon.
func TestWebhooksAreNotReplayed(t *testing.T) {
	const body, key = `{"n":1}`, "s3cret"
	pb, at := offered(t, config.Config{Webhooks: []config.Webhook{
		{Name: "a", Graph: "double", Secret: key},
		{Name: "b", Graph: "double", Secret: key},
		{Name: "standard", Graph: "double", Secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte(key))},
		{Name: "lost", Graph: "none", Secret: key},
	}}, map[string]string{"double": doubling})
	sum := func(text string) []byte {
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	unix := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	github := []string{"X-Hub-Signature-256", "sha256=" + hex.EncodeToString(sum(body))}
	standard := func(id, at string) []string {
		signature := "v1,AAAA v1," + base64.StdEncoding.EncodeToString(sum(id+"."+at+"."+body))
		return []string{"Webhook-Id", id, "Webhook-Timestamp", at, "Webhook-Signature", signature}
	}
	slack := func(at string) []string {
		return []string{"X-Slack-Request-Timestamp", at, "X-Slack-Signature", "v0=" + hex.EncodeToString(sum("v0:"+at+":"+body))}
	}
	now := unix(0)
	for _, test := range []struct {
		what, path string
		header     []string
		status     int
	}{
		{"a body alone", "a", github, 200},
		{"a body alone, again: another request may have it", "a", github, 200},
		{"a delivery", "a", append([]string{"X-GitHub-Delivery", "1"}, github...), 200},
		{"a delivery again", "a", append([]string{"X-GitHub-Delivery", "1"}, github...), 409},
		{"a delivery with another id, which is not signed", "a", append([]string{"X-GitHub-Delivery", "2"}, github...), 409},
		{"a delivery to another webhook", "b", append([]string{"X-GitHub-Delivery", "1"}, github...), 200},
		{"a standard webhook", "standard", standard("m1", now), 200},
		{"a standard webhook again", "standard", standard("m1", now), 409},
		{"a standard webhook with another id", "standard", append(standard("m1", now), "Webhook-Id", "m2"), 401},
		{"a standard webhook with another time", "standard", append(standard("m1", now), "Webhook-Timestamp", unix(time.Second)), 401},
		{"a standard webhook without its time", "standard", append(standard("m1", now), "Webhook-Timestamp", ""), 401},
		{"an old standard webhook", "standard", standard("m3", unix(-6*time.Minute)), 401},
		{"a standard webhook of the future", "standard", standard("m4", unix(6*time.Minute)), 401},
		{"a standard webhook of a clock that is behind", "standard", standard("m5", unix(-4*time.Minute)), 200},
		{"a standard webhook whose time is no time", "standard", standard("m6", "now"), 401},
		{"Slack", "a", slack(now), 200},
		{"Slack again", "a", slack(now), 409},
		{"Slack, old", "a", slack(unix(-time.Hour)), 401},
		{"a delivery that starts nothing", "lost", slack(now), 503},
		{"a delivery that has started nothing, again", "lost", slack(now), 503},
	} {
		status, _, text := send(t, http.MethodPost, at+"/hooks/"+test.path+"?wait", body, test.header...)
		if status != test.status || status == 409 && !strings.Contains(text, "received-before") {
			t.Errorf("%s: %d %s, want %d", test.what, status, text, test.status)
		}
	}
	if r, fault := pb.Runs(request.WithActor(t.Context(), run.Actor{Operator: true}), execution.RunsInput{Graph: "double"}); fault != nil || len(r.Runs) != 7 {
		t.Errorf("%d runs, %v, want those of the 7 requests that were accepted", len(r.Runs), fault)
	}
}

const approval = `inputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: ask}
  - id: ask
    type: ask
    message: 'May I <b>deploy</b>?'
    schema:
      type: object
      properties:
        sure: {type: boolean, title: Are you sure}
        times: {type: integer, minimum: 1}
        where: {type: string, enum: [here, there], default: there}
      required: [times]
    next: exit
  - {id: exit, type: exit, result: {expr: '$.ask'}}
`

// told keeps what it is started with.
const told = `inputSchema: {type: object, properties: {link: {type: string}}}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"link": $.entry.link}'}}
`

// A person answers the question of a run by its link, once. The link is shown to the operator,
// and to the graph that tells somebody, but not to an agent.
func TestAnswerByLink(t *testing.T) {
	pb, at := offered(t, config.Config{Links: config.Links{Hours: 1, Notify: "tell"}}, map[string]string{"approve": approval, "tell": told})
	agent := request.WithActor(t.Context(), run.Actor{Principal: "local"})
	operator := request.WithActor(t.Context(), run.Actor{Operator: true})
	r, fault := pb.CallGraph(agent, "approve", json.RawMessage(`{}`))
	if fault != nil || r.Status != string(run.Interrupted) {
		t.Fatal(r, fault)
	}
	if seen, fault := pb.GetRun(agent, execution.GetRunInput{RunID: r.RunID}); fault != nil || len(seen.Asks) != 1 || seen.Asks[0].Link != "" {
		t.Errorf("an agent sees %+v, %v", seen.Asks, fault)
	}
	seen, fault := pb.GetRun(operator, execution.GetRunInput{RunID: r.RunID})
	if fault != nil || len(seen.Asks) != 1 || !strings.HasPrefix(seen.Asks[0].Link, at+execution.AnswerPath) {
		t.Fatalf("the operator sees %+v, %v", seen, fault)
	}
	link := seen.Asks[0].Link
	list, fault := pb.Runs(operator, execution.RunsInput{Graph: "approve"})
	if fault != nil || len(list.Runs) != 1 || len(list.Runs[0].Links) != 1 || list.Runs[0].Links[0] != link {
		t.Errorf("the list is %+v, %v", list, fault)
	}

	status, header, page := send(t, http.MethodGet, link, "")
	for _, want := range []string{"May I &lt;b&gt;deploy&lt;/b&gt;?", `type="checkbox"`, `type="number"`, `<option value="there" selected>`, "The graph approve asks"} {
		if status != 200 || !strings.Contains(page, want) {
			t.Errorf("%d, the page lacks %s:\n%s", status, want, page)
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, styleHash(page)) {
		t.Errorf("the policy is %s, the style %s", policy, styleHash(page))
	}
	answer := func(values url.Values) (int, string) {
		status, _, body := send(t, http.MethodPost, link, values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		return status, body
	}
	if status, body := answer(url.Values{"action": {"accept"}, "f.times": {"0"}, "f.where": {"here"}}); status != 422 || !strings.Contains(body, `role="alert"`) || !strings.Contains(body, `<option value="here" selected>`) {
		t.Errorf("a wrong answer: %d %s", status, body)
	}
	if status, body := answer(url.Values{"action": {"accept"}, "f.times": {"2"}, "f.where": {"here"}, "f.sure": {"true"}}); status != 200 {
		t.Fatalf("the answer: %d %s", status, body)
	}
	if status, body := answer(url.Values{"action": {"accept"}, "f.times": {"3"}}); status != 410 {
		t.Errorf("a second answer: %d %s", status, body)
	}
	for status := "running"; status == "running"; {
		s, fault := pb.Tasks.State(operator, r.RunID, "none")
		if fault != nil {
			t.Fatal(fault)
		}
		if status = s.Status; status == "succeeded" && string(s.Result) != `{"action":"accept","content":{"sure":true,"times":2,"where":"here"}}` {
			t.Errorf("the result is %s", s.Result)
		}
	}
	for { // the graph that tells somebody was started, and has the link
		tellers, fault := pb.Runs(operator, execution.RunsInput{Graph: "tell", Status: "succeeded"})
		if fault != nil {
			t.Fatal(fault)
		}
		if len(tellers.Runs) == 0 {
			runtime.Gosched()
			continue
		}
		if s, fault := pb.Tasks.State(operator, tellers.Runs[0].ID, "none"); fault != nil || string(s.Result) != `{"link":"`+link+`"}` || len(tellers.Runs) != 1 {
			t.Errorf("somebody was told %+v, %v", s, fault)
		}
		break
	}
	for _, wrong := range []string{link[:len(link)-2] + "AA", at + execution.AnswerPath + "x"} {
		if status, _, body := send(t, http.MethodGet, wrong, ""); status != 410 || !strings.Contains(body, "not valid") {
			t.Errorf("%s: %d %s", wrong, status, body)
		}
	}
}

// styleHash is what a policy must name so that the style of a page is used.
func styleHash(page string) string {
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
