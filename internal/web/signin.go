package web

import (
	"context"
	"encoding/json"
	"net"
	"net/http"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// pageHeader is what every request of the page has and no form of another site: a browser
// asks a server before it sends it to another origin, and this one says no.
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

func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

func setCookie(w http.ResponseWriter, r *http.Request, value string) {
	c := &http.Cookie{Name: cookieName(r), Value: value, Path: Path, HttpOnly: true, Secure: mcpserver.IsSecure(r), SameSite: http.SameSiteStrictMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// signIn makes a request of the page one of the principal that has signed in: the token of
// the session is judged anew each time, so that one that is revoked ends at once.
func (u *UI) signIn(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Header.Get(pageHeader) != "1" {
		writeFault(w, http.StatusForbidden, "not-of-the-page", "requests need the header "+pageHeader+": 1", "")
		return nil
	}
	s := u.sessions.find(cookieOf(r))
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

// signInByPage signs in who opens the page: by a link, or without a token where clients need
// none. It returns the request with the cookie of its session, or nil if it has answered.
func (u *UI) signInByPage(w http.ResponseWriter, r *http.Request) *http.Request {
	token, signedIn := r.URL.Query().Get("token"), u.sessions.find(cookieOf(r)) != nil
	switch {
	case token != "" && u.sessions.takeLink(token):
		setCookie(w, r, u.sessions.start("", true))
	case token != "" && !signedIn:
		http.Error(w, "the link was used before, or is not one of this program: "+u.howToSignIn(), http.StatusUnauthorized)
		return nil
	case token == "":
		if signedIn || !u.needsNoToken() {
			return r
		}
		cookie := u.sessions.start("", false)
		setCookie(w, r, cookie)
		out := r.Clone(r.Context())
		out.Header.Del("Cookie")
		out.AddCookie(&http.Cookie{Name: cookieName(r), Value: cookie})
		return out
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, Path, http.StatusSeeOther) // without the token in the address
	return nil
}

// openSession exchanges a token for a session: one of a link, or one of a client of MCP.
func (u *UI) openSession(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Token string `json:"token"`
	}
	if r.Header.Get(pageHeader) != "1" {
		writeFault(w, http.StatusForbidden, "not-of-the-page", "requests need the header "+pageHeader+": 1", "")
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		writeFault(w, http.StatusBadRequest, "bad-argument", "the body of the request is not {\"token\": \"…\"}", "")
		return
	}
	cookie := ""
	switch {
	case u.sessions.takeLink(in.Token):
		cookie = u.sessions.start("", true)
	case in.Token == "" && u.needsNoToken():
		cookie = u.sessions.start("", false)
	case in.Token != "" && !u.o.LinkOnly && u.o.HTTP.Auth != nil:
		if _, err := u.o.HTTP.Auth.Verify(r.Context(), in.Token); err == nil {
			cookie = u.sessions.start(in.Token, false)
		}
	}
	if cookie == "" {
		writeFault(w, http.StatusUnauthorized, "not-signed-in", "the token is not valid, or was used before", u.howToSignIn())
		return
	}
	u.sessions.end(cookieOf(r))
	setCookie(w, r, cookie)
	writeJSON(w, http.StatusOK, map[string]bool{"signed_in": true})
}

// endSession signs a browser out.
func (u *UI) endSession(w http.ResponseWriter, r *http.Request) {
	u.sessions.end(cookieOf(r))
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
