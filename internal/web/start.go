package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// maxStart is up to how many bytes of a reply are put into a page: a longer one is asked for.
const maxStart = 256 << 10

// firstRequests are those that every page would begin with.
var firstRequests = []string{"session", "file"}

// startMark is where index.html has the replies to them.
var startMark = []byte(`<template id="start">`)

// startOf returns what a page begins with, as JSON: the replies that its first requests would
// get, by their names, so that it need not wait for them. A request that is refused is left out.
func startOf(api http.Handler) func(*http.Request) []byte {
	return func(page *http.Request) []byte {
		replies := map[string]json.RawMessage{}
		for _, name := range firstRequests {
			r := page.Clone(page.Context())
			r.URL.Path, r.URL.RawPath, r.URL.RawQuery = "/ui/api/"+name, "", ""
			r.Method, r.Body, r.ContentLength, r.Pattern = http.MethodGet, http.NoBody, 0, ""
			r.Header.Set(pageHeader, "1")
			var reply kept
			api.ServeHTTP(&reply, r)
			if reply.status == http.StatusOK && reply.body.Len() <= maxStart {
				replies[name] = reply.body.Bytes()
			}
		}
		b, err := json.Marshal(replies)
		if err != nil {
			return nil // then the page asks
		}
		return b
	}
}

// withStart returns index.html with what it begins with.
func withStart(page, start []byte) []byte {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(string(start))
	return bytes.Replace(page, startMark, append(bytes.Clone(startMark), escaped...), 1)
}

// kept is a reply that is kept instead of being sent.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (k *kept) Header() http.Header {
	if k.header == nil {
		k.header = http.Header{}
	}
	return k.header
}

// WriteHeader implements [http.ResponseWriter].
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write implements [http.ResponseWriter].
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(b)
}
