package execution

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// slackHeader is the header with Slack's signature, whose answers are its own.
const slackHeader = "X-Slack-Signature"

// signings are the ways in which known senders sign their requests.
var signings = []config.Signature{
	// GitHub and others, which do not sign the id.
	{Header: "X-Hub-Signature-256", Prefix: "sha256=", Algorithm: "sha256", Template: "{body}", ID: "X-GitHub-Delivery"},
	// https://github.com/standard-webhooks/standard-webhooks
	{Header: "Webhook-Signature", Prefix: "v1,", Algorithm: "sha256", Template: "{id}.{timestamp}.{body}", ID: "Webhook-Id", Timestamp: "Webhook-Timestamp", Tolerance: config.DefaultTolerance},
	{Header: slackHeader, Prefix: "v0=", Algorithm: "sha256", Template: "v0:{timestamp}:{body}", Timestamp: "X-Slack-Request-Timestamp", Tolerance: config.DefaultTolerance},
	// Stripe
	{Header: "Stripe-Signature", Prefix: "v1=", Algorithm: "sha256", Template: "{timestamp}.{body}", Timestamp: "t=", Tolerance: config.DefaultTolerance},
}

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}

// signature returns the signature of a request with the secret of the webhook, the header that
// it is in, and whether the sender says when or as which delivery it was sent.
func (h *Webhook) signature(header http.Header, body []byte, now time.Time) (mac []byte, in string, once bool, fault *diag.Fault) {
	keys := [][]byte{[]byte(h.Secret)}
	if encoded, ok := strings.CutPrefix(h.Secret, "whsec_"); ok { // as Standard Webhooks writes a key
		if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			keys = append(keys, decoded)
		}
	}
	ways := signings
	if h.Signature != nil {
		ways = []config.Signature{*h.Signature}
	}
	for _, s := range ways {
		signed := header.Get(s.Header)
		id, at := header.Get(s.ID), header.Get(s.Timestamp)
		if strings.HasSuffix(s.Timestamp, "=") {
			at = strings.Join(prefixedParts(signed, s.Timestamp), "")
		}
		template := strings.NewReplacer("{id}", id, "{timestamp}", at, "{body}", string(body))
		for _, key := range keys {
			sum := hmac.New(hashes[s.Algorithm], key)
			_, _ = template.WriteString(sum, s.Template)
			mac = sum.Sum(nil)
			for _, sent := range prefixedParts(signed, s.Prefix) { // a sender that changes its key has two
				if !hmac.Equal(decoded(sent, len(mac)), mac) {
					continue
				}
				if seconds, err := strconv.ParseInt(at, 10, 64); s.Timestamp != "" && (err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > s.Tolerance) {
					return nil, "", false, notAccepted("the time of the request, %s, is more than %s from now", diag.Quote(at), s.Tolerance)
				}
				return mac, s.Header, s.Timestamp != "" || id != "", nil
			}
		}
	}
	return nil, "", false, notAccepted("the signature of the request is not that of the webhook")
}

// prefixedParts are the parts of a header that begin with a prefix, without it. Parts are separated
// by spaces, commas and semicolons.
func prefixedParts(value, prefix string) []string {
	var parts []string
	separated := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' && !strings.HasSuffix(prefix, ",") })
	for _, part := range separated {
		if rest, ok := strings.CutPrefix(part, prefix); ok {
			parts = append(parts, rest)
		}
	}
	return parts
}

// decoded is a signature of so many bytes, written in hexadecimal digits or base64.
func decoded(text string, size int) []byte {
	if len(text) == hex.EncodedLen(size) {
		b, _ := hex.DecodeString(text)
		return b
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := encoding.DecodeString(text); err == nil {
			return b
		}
	}
	return nil
}
