package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A signing is a way in which senders sign their requests, with HMAC-SHA-256.
type signing struct {
	header, prefix string // of the signature
	decode         func(string) ([]byte, error)
	id, time       string                             // headers with the id of a delivery, and when it was sent, in seconds; or ""
	signed         func(id, time, body string) string // what is signed
}

var signings = []signing{
	{ // GitHub and others, which do not sign the id
		"X-Hub-Signature-256", "sha256=", hex.DecodeString, "X-GitHub-Delivery", "",
		func(_, _, body string) string { return body },
	},
	{ // https://github.com/standard-webhooks/standard-webhooks
		"Webhook-Signature", "v1,", base64.StdEncoding.DecodeString, "Webhook-Id", "Webhook-Timestamp",
		func(id, time, body string) string { return id + "." + time + "." + body },
	},
	{ // Slack
		"X-Slack-Signature", "v0=", hex.DecodeString, "", "X-Slack-Request-Timestamp",
		func(_, time, body string) string { return "v0:" + time + ":" + body },
	},
}

// signedWithin is how much the time of a request that says it may differ from ours.
const signedWithin = 5 * time.Minute

// signature returns the signature of a request with the secret of the webhook, and whether
// the sender says when or as which delivery it was sent.
func (h *Webhook) signature(header http.Header, body []byte, now time.Time) (mac []byte, once bool, fault *diag.Fault) {
	key := []byte(h.Secret)
	if encoded, ok := strings.CutPrefix(h.Secret, "whsec_"); ok { // as Standard Webhooks writes a key
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			key = decoded
		}
	}
	for _, s := range signings {
		id, at := header.Get(s.id), header.Get(s.time)
		hash := hmac.New(sha256.New, key)
		_, _ = hash.Write([]byte(s.signed(id, at, string(body))))
		mac = hash.Sum(nil)
		for one := range strings.FieldsSeq(header.Get(s.header)) { // a sender that changes its key has two
			sent, err := s.decode(strings.TrimPrefix(one, s.prefix))
			if err != nil || !hmac.Equal(sent, mac) {
				continue
			}
			if seconds, err := strconv.ParseInt(at, 10, 64); s.time != "" && (err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > signedWithin) {
				return nil, false, notAccepted("the time of the request, %s, is more than %s from now", diag.Quote(at), signedWithin)
			}
			return mac, s.time != "" || id != "", nil
		}
	}
	return nil, false, notAccepted("the signature of the request is not that of the webhook")
}
