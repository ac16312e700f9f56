package inbound_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

const everything = `inputSchema: {type: object, properties: {payload: {}, event: {type: string}, delivery: {type: string}, team: {type: string}}}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"text": $string($.entry)}'}}
`

// TestDocumentedSignatures accepts the examples of the senders' own documentation.
func TestDocumentedSignatures(t *testing.T) {
	for name, c := range map[string]struct {
		secret, body string
		at           int64
		header       []string
	}{
		"GitHub": {"It's a Secret to Everybody", "Hello, World!", 0, []string{"X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}},
		"Standard Webhooks": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"test": 2432232314}`, 1614265330, []string{
			"Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp", "1614265330", "Webhook-Signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		}},
		"Slack": {"8f742231b10e8888abcd99yyyzzz85a5", "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c", 1531420618, []string{
			"X-Slack-Request-Timestamp", "1531420618", "X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
		}},
	} {
		pb, _ := offered(t, config.Config{Webhooks: []config.Webhook{{Name: "a", Graph: "all", Secret: c.secret}}}, map[string]string{"all": everything})
		header := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			header.Set(c.header[i], c.header[i+1])
		}
		now := time.Unix(c.at, 0)
		if _, fault := pb.Webhooks.Named("a").Accept(header, []byte(c.body), now); fault != nil {
			t.Errorf("%s: %v", name, fault)
		}
		if _, fault := pb.Webhooks.Named("a").Accept(header, []byte(c.body+" "), now); fault == nil {
			t.Errorf("%s: another body is accepted", name)
		}
		if _, fault := pb.Webhooks.Named("a").Accept(header, []byte(c.body), now.Add(6*time.Minute)); c.at > 0 && fault == nil {
			t.Errorf("%s: an old request is accepted", name)
		}
	}
}

// TestWhatSendersSend reads the headers, the query and the body in every form that GitHub,
// Stripe and Slack use, and answers as they expect.
func TestWhatSendersSend(t *testing.T) {
	const key = "whsec_key"
	hook := config.Webhook{Name: "a", Graph: "all", Secret: key, Body: "payload", Headers: map[string]string{"event": "X-GitHub-Event", "delivery": "X-GitHub-Delivery"}, Query: map[string]string{"team": "team"}}
	bare := config.Webhook{Name: "bare", Graph: "all", Token: "t", Headers: hook.Headers}
	_, at := offered(t, config.Config{Webhooks: []config.Webhook{hook, bare}}, map[string]string{"all": everything})
	sum := func(text string) string {
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write([]byte(text))
		return hex.EncodeToString(mac.Sum(nil))
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	const form, jsonType = "application/x-www-form-urlencoded", "application/json"
	github := func(body, id string) []string {
		return []string{"X-GitHub-Event", "push", "X-GitHub-Delivery", id, "X-Hub-Signature-256", "sha256=" + sum(body)}
	}
	stripe := func(body, at string) []string {
		return []string{"Stripe-Signature", "t=" + at + ",v1=" + strings.Repeat("0", 64) + ",v1=" + sum(at+"."+body) + ",v0=" + sum("x")}
	}
	slack := func(body string) []string {
		return []string{"X-Slack-Request-Timestamp", now, "X-Slack-Signature", "v0=" + sum("v0:"+now+":"+body)}
	}
	pushed := "payload=" + url.QueryEscape(`{"ref":"main"}`)
	command := "command=%2Fdeploy&text=now+please&tag=a&tag=b"
	action := "payload=" + url.QueryEscape(`{"type":"block_actions"}`)
	challenge := `{"token":"x","challenge":"3eZbrw1a","type":"url_verification"}`
	event := `{"type":"event_callback","event_id":"Ev1"}`
	for _, c := range []struct {
		what, path, media, body string
		header                  []string
		status                  int
		want                    string
	}{
		{"GitHub, JSON", "a?wait&team=blue", jsonType, `{"ref":"main"}`, github(`{"ref":"main"}`, "d1"), 200, `{"delivery":"d1","event":"push","payload":{"ref":"main"},"team":"blue"}`},
		{"GitHub, a form", "a?wait", form, pushed, github(pushed, "d2"), 200, `{"delivery":"d2","event":"push","payload":{"ref":"main"}}`},
		{"GitHub does not wait", "a", form, pushed + "&x=1", github(pushed+"&x=1", "d3"), 202, `"run_id"`},
		{"Stripe", "a?wait", jsonType, `{"id":"evt_1"}`, stripe(`{"id":"evt_1"}`, now), 200, `{"payload":{"id":"evt_1"}}`},
		{"Stripe, again", "a?wait", jsonType, `{"id":"evt_1"}`, stripe(`{"id":"evt_1"}`, now), 409, "received-before"},
		{"Stripe, old", "a?wait", jsonType, `{"id":"evt_1"}`, stripe(`{"id":"evt_1"}`, "1600000000"), 401, "more than 5m0s"},
		{"Stripe, another time than the signed one", "a?wait", jsonType, `{"id":"evt_1"}`, append(stripe(`{"id":"evt_1"}`, now), "Stripe-Signature", "t=1,v1="+sum(now+`.{"id":"evt_1"}`)), 401, "not-accepted"},
		{"Slack checks the address", "a", jsonType, challenge, slack(challenge), 200, "3eZbrw1a"},
		{"Slack checks the certificate", "a", form, "ssl_check=1&token=x", slack("ssl_check=1&token=x"), 200, ""},
		{"somebody else checks the address", "a", jsonType, challenge, github(challenge, "d4"), 202, "run_id"},
		{"Slack, an event", "a", jsonType, event, slack(event), 200, ""},
		{"Slack, a command whose answer is shown", "a?wait", form, command, slack(command), 200, `{"text":"{\"payload\":{\"command\":\"/deploy\",\"tag\":[\"a\",\"b\"],\"text\":\"now please\"}}"}`},
		{"Slack, an action", "a?wait", form, action, slack(action), 200, `{\"payload\":{\"type\":\"block_actions\"}}`},
		{"the operator's headers replace members of the body", "bare?wait", jsonType, `{"event":"forged","team":"red"}`, []string{"Authorization", "Bearer t"}, 200, `{"team":"red"}`},
		{"JSON of curl -d", "bare?wait", form, `{"team":"red"}`, []string{"Authorization", "Bearer t"}, 200, `{"team":"red"}`},
		{"a form of arguments", "bare?wait", form, `team=red`, []string{"Authorization", "Bearer t"}, 200, `{"team":"red"}`},
		{"a bad form", "bare?wait", form, `team=%zz`, []string{"Authorization", "Bearer t"}, 400, "is not a form"},
		{"a form of another kind", "bare?wait", "multipart/form-data; boundary=x", "--x--", []string{"Authorization", "Bearer t"}, 400, "is not JSON"},
	} {
		status, _, body := send(t, http.MethodPost, at+"/hooks/"+c.path, c.body, append([]string{"Content-Type", c.media}, c.header...)...)
		body = strings.TrimSpace(body)
		want := c.want
		if strings.HasPrefix(want, `{"payload"`) || strings.HasPrefix(want, `{"delivery"`) || strings.HasPrefix(want, `{"team"`) { // the graph shows its arguments as a text
			want = strconv.Quote(want)
		}
		exact := strings.HasPrefix(c.what, "Slack") && !strings.Contains(c.what, "action")
		if status != c.status || exact && body != want || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %d with %s", c.what, status, body, c.status, want)
		}
	}
}

// TestSignaturesOfTheOperator accepts what the general form describes, and nothing else.
func TestSignaturesOfTheOperator(t *testing.T) {
	const key, body = "s3cret", `{"team":"red"}`
	now := strconv.FormatInt(time.Now().Unix(), 10)
	sum := func(text string) []byte {
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	old, long := hmac.New(sha1.New, []byte(key)), hmac.New(sha512.New, []byte(key))
	_, _ = old.Write([]byte(body))
	_, _ = long.Write([]byte("m1|" + body))
	for _, c := range []struct {
		what      string
		signature config.Signature
		header    []string
		status    []int
	}{
		{"a shop", config.Signature{Header: "X-Shop-Hmac", Algorithm: "sha256", Template: "{body}"}, []string{"X-Shop-Hmac", base64.StdEncoding.EncodeToString(sum(body))}, []int{200, 200}},
		{"a meeting", config.Signature{Header: "X-Zm-Signature", Prefix: "v0=", Algorithm: "sha256", Template: "v0:{timestamp}:{body}", Timestamp: "X-Zm-Time", Tolerance: time.Minute}, []string{"X-Zm-Time", now, "X-Zm-Signature", "v0=" + hex.EncodeToString(sum("v0:"+now+":"+body))}, []int{200, 409}},
		{"parts of one header", config.Signature{Header: "Pay-Signature", Prefix: "h1=", Algorithm: "sha256", Template: "{timestamp}:{body}", Timestamp: "ts=", Tolerance: time.Minute}, []string{"Pay-Signature", "ts=" + now + ";h1=" + hex.EncodeToString(sum(now+":"+body))}, []int{200, 409}},
		{"SHA-1", config.Signature{Header: "X-Sum", Algorithm: "sha1", Template: "{body}"}, []string{"X-Sum", hex.EncodeToString(old.Sum(nil))}, []int{200, 200}},
		{"SHA-512 with an id", config.Signature{Header: "X-Sum", Algorithm: "sha512", Template: "{id}|{body}", ID: "X-Id"}, []string{"X-Id", "m1", "X-Sum", hex.EncodeToString(long.Sum(nil))}, []int{200, 409}},
		{"beyond the tolerance", config.Signature{Header: "X-Sum", Algorithm: "sha256", Template: "{timestamp}{body}", Timestamp: "X-Time", Tolerance: time.Second}, []string{"X-Time", "1", "X-Sum", hex.EncodeToString(sum("1" + body))}, []int{401}},
		{"a way that is not the operator's", config.Signature{Header: "X-Sum", Algorithm: "sha256", Template: "{body}"}, []string{"X-Hub-Signature-256", "sha256=" + hex.EncodeToString(sum(body))}, []int{401}},
		{"no signature", config.Signature{Header: "X-Sum", Algorithm: "sha256", Template: "{body}"}, []string{"X-Sum", ""}, []int{401}},
	} {
		_, at := offered(t, config.Config{Webhooks: []config.Webhook{{Name: "a", Graph: "all", Secret: key, Signature: &c.signature}}}, map[string]string{"all": everything})
		for i, want := range c.status {
			if status, _, text := send(t, http.MethodPost, at+"/hooks/a?wait", body, c.header...); status != want {
				t.Errorf("%s, request %d: %d %s, want %d", c.what, i+1, status, text, want)
			}
		}
	}
}
