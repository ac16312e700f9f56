package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// canary has characters that encodings write differently.
const canary = `c4nary/+?'"<&> ~!(*)9f`

// wrap breaks a text into lines as MIME does.
func wrap(text string, at int, newline string) string {
	var lines []string
	for ; len(text) > at; text = text[at:] {
		lines = append(lines, text[:at])
	}
	return strings.Join(append(lines, text), newline)
}

// encodings are texts that have the canary, by how they write it.
func encodings() map[string]string {
	quoted, _ := json.Marshal(canary)
	twice, _ := json.Marshal(string(quoted))
	long := strings.Repeat("x", 60)
	all := map[string]string{
		"plain": canary, "JSON": string(quoted), "JSON twice": string(twice), "query": url.QueryEscape(canary), "path": url.PathEscape(canary),
		"lower-case escapes": strings.ToLower(url.QueryEscape(canary)), "component": escapeComponent(canary), "hex": hex.EncodeToString([]byte(canary)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(canary))),
		"HTML": "c4nary/+?&#39;&#34;&lt;&amp;&gt; ~!(*)9f", "wrapped": wrap(long+canary, 76, "\n"), "wrapped JSON": wrap(long+canary, 76, `\n`),
	}
	for _, before := range []string{"", "a", "ab"} {
		text := []byte(before + canary + "z")
		all["base64 after "+before] = base64.StdEncoding.EncodeToString(text)
		all["base64url after "+before] = base64.RawURLEncoding.EncodeToString(text)
		all["MIME after "+before] = wrap(base64.StdEncoding.EncodeToString([]byte(long[:50]+string(text))), 76, "\r\n")
		all["PEM after "+before] = wrap(base64.StdEncoding.EncodeToString([]byte(long[:40]+string(text))), 64, "\n")
	}
	return all
}

// rests are parts of the canary that no masked text has.
var rests = []string{"c4nary", "9f", "YzRuYXJ5", "M0bmFyeS", "NG5hcnkv", hex.EncodeToString([]byte(canary[:8])), strings.ToUpper(hex.EncodeToString([]byte(canary[:8])))}

// accented has characters that JSON can escape in more than one way.
const accented = `café/päss"w🔑rd\\9f`

// Escapes of JSON hide no secret, whoever has written them, in text and in JSON, and with
// the escapes of one more level of JSON around them.
func TestEscapedSecrets(t *testing.T) {
	r := NewRedactor([]Secret{{"TOKEN", accented}, {"PEM", "-----BEGIN-----\nabc/def\n"}})
	all := map[string]string{
		"Python": `caf\u00e9/p\u00e4ss\"w\ud83d\udd11rd\\9f`, "PHP": `caf\u00e9\/p\u00e4ss\"w\ud83d\udd11rd\\9f`, "PHP unescaped": `café\/päss\"w🔑rd\\9f`,
		".NET": `caf\u00E9/p\u00E4ss\u0022w\uD83D\uDD11rd\\9f`, "all": `\u0063\u0061\u0066\u00e9\u002f\u0070\u00e4\u0073\u0073\u0022\u0077\ud83d\udd11\u0072\u0064\u005c9f`,
		"lines": `-----BEGIN-----\nabc\/def`,
	}
	for how, text := range all {
		text = `{"a": "before ` + text + ` after"}`
		for _, at := range []string{text, string(mustQuote(text)), string(mustQuote(string(mustQuote(text)))), "a log line: " + text} {
			for which, shown := range map[string]string{"Redact": r.Redact(at), "RedactJSON": string(r.RedactJSON([]byte(at))), "Refer": string(r.Refer([]byte(at)))} {
				if !strings.Contains(shown, "before ") || !strings.Contains(shown, " after") || regexp.MustCompile(`caf|0063|0066|ss|rd|9f|abc|BEGIN`).MatchString(shown) {
					t.Errorf("%s: %s shows %s as %s", how, which, at, shown)
				}
			}
		}
	}
	for _, text := range []string{`\`, `\u`, `\u00`, `\ud83d`, `\ud83d\u0041x`, `a\b\\`, "\\\n", `caf\u00e9`} {
		if shown := r.Redact(text); shown != text {
			t.Errorf("%s is shown as %s", text, shown)
		}
	}
}

func TestEncodings(t *testing.T) {
	r := NewRedactor([]Secret{{"TOKEN", canary}})
	for how, text := range encodings() {
		shown := r.Redact("before " + text + " after")
		for _, rest := range rests {
			if strings.Contains(shown, rest) {
				t.Errorf("%s: %s is shown as %s", how, text, shown)
			}
		}
		if !strings.HasPrefix(shown, "before ") || !strings.HasSuffix(shown, " after") {
			t.Errorf("%s: %s is shown as %s", how, text, shown)
		}
		quoted, _ := json.Marshal(text)
		if shown := r.RedactJSON(quoted); !json.Valid(shown) || strings.Contains(string(shown), "c4nary") {
			t.Errorf("%s: %s is shown as %s", how, quoted, shown)
		}
	}
}

// What is stored restores to the bytes that it was made of, however a secret is written in
// it.
func TestStoredTextsAreExact(t *testing.T) {
	r := NewRedactor([]Secret{{"TOKEN", canary}, {"s.headers.a:b", "other/secret"}})
	all := encodings()
	for n := 1; n < len(canary); n++ {
		all["cut after "+canary[:n]] = "see " + canary[:n] + "…"
	}
	all["two"] = wrap(strings.Repeat("y", 70)+"other/secret"+canary, 76, "\n")
	for how, text := range all {
		for _, raw := range []string{text, string(mustQuote(text))} {
			stored := string(r.Refer([]byte(raw)))
			if got := string(r.Restore([]byte(stored))); got != raw && !sameJSON(got, raw) {
				t.Errorf("%s: %s is stored as %q, which restores to %s", how, raw, stored, got)
			}
			if strings.Contains(stored, canary[:MinSecret]) || strings.Contains(stored, "other/") {
				t.Errorf("%s: %s is stored as %s", how, raw, stored)
			}
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && x == y
}

func mustQuote(text string) []byte {
	b, _ := quoteJSON(text)
	return b
}

// A text that was cut shows less than eight bytes of a secret. What a guess shows does
// not depend on more than its first eight bytes, so that nobody finds out a secret byte
// by byte.
func TestCutSecrets(t *testing.T) {
	const secret = "prefix-of-a-secret"
	r := NewRedactor([]Secret{{"", secret}})
	for n := range secret {
		shown := r.Redact("it is " + secret[:n] + "… (cut)")
		if n < MinSecret && shown != "it is "+secret[:n]+"… (cut)" || n >= MinSecret && shown != "it is ***… (cut)" {
			t.Errorf("%d bytes are shown as %s", n, shown)
		}
	}
	for _, guess := range []string{"prefix-of", "prefix-ox", "prefix-of-a-secxxx"[:17]} {
		if shown := r.Redact(guess + "…"); shown != "***…" {
			t.Errorf("the guess %s is shown as %s", guess, shown)
		}
	}
	if shown := r.Redact("prefix-of-something that is longer…"); shown != "prefix-of-something that is longer…" {
		t.Errorf("a text that is no secret is shown as %s", shown)
	}
}

// Values under eight bytes are shown as they are, also in parts and encoded: a mask would
// tell whoever guesses one that it is right.
func TestShortValuesAreNoOracle(t *testing.T) {
	for _, pin := range []string{"1", "4711", "abcdefg", " 123456 "} {
		r := NewRedactor([]Secret{{"PIN", pin}, {"LONG", "a-long-secret"}})
		r.Learn(Secret{"LATER", pin})
		for n := range len(pin) + 1 {
			for _, text := range []string{pin[:n], pin[:n] + "…", base64.StdEncoding.EncodeToString([]byte(pin[:n])), hex.EncodeToString([]byte(pin[:n])), wrap("line "+pin[:n], 7, "\n"), "a-long-"[:min(n, 7)] + "…"} {
				if shown := r.Redact(text); shown != text {
					t.Errorf("with the secret %q: %q is shown as %q", pin, text, shown)
				}
				if stored := string(r.Refer([]byte(text))); stored != text {
					t.Errorf("with the secret %q: %q is stored as %q", pin, text, stored)
				}
			}
		}
	}
}

// Secrets that come up later are masked in every place that has the Redactor; the latest
// hundred of them are remembered.
func TestLearn(t *testing.T) {
	r := NewRedactor([]Secret{{"A", "configured-a"}})
	r.Learn(Secret{"T", "first-token"})
	r.Include(NewRedactor([]Secret{{"B", "configured-b"}}))
	var tokens []Secret
	for i := range maxLearned {
		tokens = append(tokens, Secret{"T", "token-number-" + strings.Repeat("i", i)})
	}
	r.Learn(tokens...)
	r.Learn(tokens[1:]...)
	r.Include(NewRedactor([]Secret{{"B", "configured-b"}}))
	if got, want := r.Redact("configured-a configured-b first-token token-number-i"), "*** *** first-token ***"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := len(r.latest().list); n != 2 {
		t.Errorf("%d secrets of the configuration are kept", n)
	}
	(*Redactor)(nil).Learn(Secret{"T", "first-token"})
}
