package web

import (
	"context"
	"encoding/json"
	"net"
	"net/http"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// pageHeader is what every request of the page has and no form of another site: a browser
// asks a server before it sends it to another origin, and this one says no. It has the key
// of the page, a value that the page chooses when it signs in and that only the page holds:
// the cookie goes to every server on the same host, whatever its port.
const pageHeader = "X-Patchbay-UI"

type sessionKey struct{}

// cookieName is the name of the session's cookie. Cookies are those of a host, whatever the
// port, so that two programs on one machine need two names.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "patchbay-ui"
	}
	return "patchbay-ui-" + port
}

// readCredentials are those of the page that makes a request.
func readCredentials(r *http.Request) credentials {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return credentials{}
	}
	return credentials{c.Value, r.Header.Get(pageHeader)}
}

func setCookie(w http.ResponseWriter, r *http.Request, value string) {
	c := &http.Cookie{Name: cookieName(r), Value: value, Path: Path, HttpOnly: true, Secure: httpd.IsSecure(r), SameSite: http.SameSiteStrictMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// signIn makes a request of the page one of the principal that has signed in: the token of
// the session is judged anew each time, so that one that is revoked ends at once.
func (u *UI) signIn(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Header.Get(pageHeader) == "" {
		notOfThePage(w)
		return nil
	}
	s := u.sessions.find(readCredentials(r))
	if s == nil {
		writeFault(w, http.StatusUnauthorized, "not-signed-in", "the browser is not signed in", u.howToSignIn())
		return nil
	}
	out := r.Clone(context.WithValue(r.Context(), sessionKey{}, s))
	out.Header.Del("Authorization")
	if s.token != "" {
		out.Header.Set("Authorization", "Bearer "+s.token)
	}
	return out
}

func (u *UI) howToSignIn() string {
	if u.o.LinkOnly {
		return "open the link that patchbay ui prints; it is good once, so start the program again for another"
	}
	return "send a token in POST /ui/api/session"
}

// needsNoToken reports whether MCP is served without a token.
func (u *UI) needsNoToken() bool {
	return !u.o.LinkOnly && (u.o.HTTP.Auth == nil || !u.o.HTTP.Auth.Required)
}

func notOfThePage(w http.ResponseWriter) {
	writeFault(w, http.StatusForbidden, "not-of-the-page", "requests need the header "+pageHeader+", with the key of the page", "")
}

// openSession exchanges a token for a session of the page that asks: one of a link, one of a
// client of MCP, or none where clients need none.
func (u *UI) openSession(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Token string `json:"token"`
	}
	key := r.Header.Get(pageHeader)
	if key == "" {
		notOfThePage(w)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		writeFault(w, http.StatusBadRequest, diag.CodeBadArgument, "the body of the request is not {\"token\": \"…\"}", "")
		return
	}
	cookie := ""
	switch {
	case u.sessions.takeLink(in.Token):
		cookie = u.sessions.start(key, "", true)
	case in.Token == "" && u.needsNoToken():
		cookie = u.sessions.start(key, "", false)
	case in.Token != "" && !u.o.LinkOnly && u.o.HTTP.Auth != nil:
		if _, err := u.o.HTTP.Auth.Verify(r.Context(), in.Token); err == nil {
			cookie = u.sessions.start(key, in.Token, false)
		}
	}
	if cookie == "" {
		writeFault(w, http.StatusUnauthorized, "not-signed-in", "the token is not valid, or was used before", u.howToSignIn())
		return
	}
	setCookie(w, r, cookie)
	writeJSON(w, http.StatusOK, map[string]bool{"signed_in": true})
}

// endSession signs a browser out.
func (u *UI) endSession(w http.ResponseWriter, r *http.Request) {
	u.sessions.end(readCredentials(r))
	setCookie(w, r, "")
	w.WriteHeader(http.StatusNoContent)
}

// writeFault answers in the shape of all failures.
func writeFault(w http.ResponseWriter, status int, code, message, hint string) {
	writeJSON(w, status, map[string]any{"error": &diag.Fault{Code: code, Message: message, Hint: hint}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := mcpserver.Encode(v)
	if err != nil {
		http.Error(w, "the reply cannot be encoded", http.StatusInternalServerError)
		return
	}
	send(w, status, b)
}

// send writes JSON that is not kept anywhere.
func send(w http.ResponseWriter, status int, b []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
