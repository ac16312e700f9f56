package secrets

import (
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxPlain is how many bytes words joined by hyphens have at most to be plain.
const maxPlain = 32

// patterns are compiled when the first is used, not at the start of the program.
var patterns = sync.OnceValue(func() (p struct{ word, secret, about, signature, plain, words, url, password, account, pair *regexp.Regexp }) {
	p.word = regexp.MustCompile(`[A-Z]*[a-z]+|[A-Z]+`)
	p.secret = regexp.MustCompile(`(?i)^(?:[a-z]*(?:token|secret|passw(?:or)?d|passphrase|passcode|credential|(?:api|access|auth|secret|private)key)|` +
		`(?:db|my|pg|user|root|admin)?(?:pass|pwd|pw)|key|pat|jwt|auth|authorization|cred|hmac|salt|bearer|cookie|[th]?otp|pin)s?$`)
	p.about = regexp.MustCompile(`(?i)^(?:urls?|uri|host|hostname|port|endpoint|domain|region|type|kind|method|mode|provider|issuer|audience|scopes?|id|user|username|name|email|file|path|dir|folder|prefix|header|algorithm|limit|count|enabled|version)$`)
	p.signature = regexp.MustCompile(`(?i)^(?:[a-z0-9-]*-)?(?:sig|signature)$`)
	p.plain = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`\.?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z]{2,18}\.?(?::\d{1,5})?`, // host names
		`[\w.+-]+@(?i:[a-z\d-]+\.)+(?i:[a-z]{2,18})`,                        // e-mail addresses
		`(?:us|eu|ap|sa|ca|me|af|il|mx|cn|asia|europe|australia|africa|(?:north|south)america)(?:-gov|-isob?)?-(?:north|south|east|west|central)+-?\d{1,2}(?:-?[a-z])?`, // regions
		`[+-]?v?\d+(?:[.,:/_-]\d+)*(?:[eE][+-]?\d+)?`,    // numbers, dates, versions
		`v?\d+(?:\.\d+){1,3}-?[a-z]{1,10}\.?\d{0,3}`,     // versions before a release
		`\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?`,    // times
		`[a-z]{2,3}[_-][A-Z]{2}(?:\.[A-Za-z\d-]{1,10})?`, // locales
		`(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[A-Z][A-Za-z/_+-]{1,30}\d{0,2}`, // time zones
	}, "|") + `)$`)
	p.words = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*(?:-\d{1,3})?(?::\d{1,5})?$`)
	p.url = regexp.MustCompile(`[A-Za-z][\w+.-]*://[^\s"'<>]+`)
	p.password = regexp.MustCompile(`://[^\s/:@]*:(\S+)@`)
	p.account = regexp.MustCompile(`^[\w.@+-]+:([^\s/]\S*)$`)
	p.pair = regexp.MustCompile(`([A-Za-z][\w .-]*)"?\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"';,&}]+)`)
	return p
})

// IsSecretName reports whether a name is like that of a secret: one of its words, which
// _, -, ., digits and capitals divide, is a word for secrets, such as TOKEN, PASS, KEYS
// or JWT, and the last is not one for something about them, such as URL, TYPE or FILE.
// PWD in capitals, alone, is the working directory. The words sig and signature count
// alone and after a hyphen, as in x-amz-signature.
func IsSecretName(name string) bool {
	p := patterns()
	words := p.word.FindAllString(name, -1)
	if name == "PWD" || len(words) == 0 || p.about.MatchString(words[len(words)-1]) {
		return false
	}
	return p.signature.MatchString(name) || slices.ContainsFunc(words, p.secret.MatchString)
}

// Plain reports whether a value is of a kind that ordinary texts are full of, so that it
// is no secret by itself: a host name or address, a region, a path that exists, a number,
// date, version, locale or time zone, lower-case words joined by hyphens, an e-mail
// address; a list of such, or a URL without a user that is made of such.
func Plain(value string) bool {
	value = strings.TrimSpace(value)
	if value != "" && !slices.ContainsFunc(filepath.SplitList(value), isMissing) {
		return true
	}
	return !slices.ContainsFunc(strings.Split(value, ","), func(item string) bool {
		scheme, rest, isURL := strings.Cut(strings.TrimSpace(item), "://")
		return isURL && !plainURL(scheme, rest) || !isURL && !plainWord(scheme)
	})
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return err != nil || !strings.ContainsAny(path, `/\`)
}

func plainWord(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || patterns().plain.MatchString(text) || len(text) <= maxPlain && patterns().words.MatchString(text)
}

func plainURL(scheme, rest string) bool {
	u, err := url.Parse("x://" + rest)
	if err != nil || u.User != nil {
		return false
	}
	parts := append(strings.FieldsFunc(scheme+"/"+u.Path, func(r rune) bool { return strings.ContainsRune("/:+", r) }), u.Hostname(), u.Fragment)
	for name, values := range u.Query() {
		if parts = append(parts, append(values, strings.ReplaceAll(name, "_", "-"))...); IsSecretName(name) {
			return false
		}
	}
	return !slices.ContainsFunc(parts, func(part string) bool { return len(part) >= MinSecret && !plainWord(part) })
}
