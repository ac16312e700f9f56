package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/httpd/inbound"
	"github.com/patchbay-mcp/patchbay/internal/httpd/issuer"
	"github.com/patchbay-mcp/patchbay/internal/httpd/web"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/ui"
)

// serveHTTP serves until the command's context ends.
func serveHTTP(f *command.Flags, cmd *cobra.Command, p *app.App, server *mcp.Server, o mcpserver.Options, addr string) error {
	s := p.Config().Serve
	offer, err := newOffer(p, o)
	if err != nil {
		p.Close()
		return err
	}
	l, err := httpd.Listen(addr, httpd.Exposure{
		TLS:  offer.Certificate != nil || len(s.TrustedProxies) > 0,
		Auth: offer.Auth.Issuer != nil || offer.Auth.Tokens.Any(time.Now()),
	})
	if err != nil {
		p.Close()
		return err
	}
	loopback := httpd.IsLoopback(l.Addr().String())
	offer.Auth.Required = offer.Auth.Required || !loopback
	offer.ProxiedOnly = !loopback && offer.Certificate == nil
	health := httpd.NewHealth(o.Loaded)
	h := &http.Server{Handler: newHandler(p, server, o, offer, health), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: httpd.MaxHeader, ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)}
	over := make(chan error, 1)
	bound, scheme := httpd.Bound(l, s.MaxConnections), "http"
	if offer.Certificate != nil {
		h.TLSConfig, scheme = offer.Certificate.Config(), "https"
		go func() { over <- h.ServeTLS(bound, "", "") }()
	} else {
		go func() { over <- h.Serve(bound) }()
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "patchbay: serving %[1]s://%[2]s/mcp (web UI: %[1]s://%[2]s%[3]s)\n", scheme, l.Addr(), web.Path)
	greet(f, cmd, p, cmp.Or(strings.TrimSuffix(s.URL, "/"), scheme+"://"+l.Addr().String()), offer.Auth.Required)
	p.ResumeRunsLater()
	p.Links.ListensAt(scheme + "://" + l.Addr().String())
	p.RunSchedules()
	select {
	case err = <-over:
	case <-cmd.Context().Done():
	}
	began := time.Now()
	health.End()
	answered := make(chan struct{})
	go func() { // it listens no longer, and waits for what was asked
		defer close(answered)
		_ = h.Shutdown(context.WithoutCancel(cmd.Context()))
	}()
	shutdown(p, began, cmd.ErrOrStderr(), func() {
		select {
		case <-answered:
		case <-time.After(lastReplies): // streams stay open
		}
		_ = h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return err
}

// newHandler serves all paths.
func newHandler(p *app.App, server *mcp.Server, o mcpserver.Options, offer httpd.Options, health *httpd.Health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", o.Metrics.Handler(offer))
	mux.Handle("/mcp", downstream.Guard(p.Config().Identity, mcpserver.Handler(server, mcpserver.HTTPOptions{Options: offer, Sessions: o.Sessions, MaxSessions: p.Config().Serve.MaxSessions})))
	mux.Handle("POST /hooks/{name}", inbound.Webhooks(p, offer, o.Wait))
	answers := inbound.Answers(p, offer, o.Redact)
	mux.Handle("GET "+execution.AnswerPath+"{token}", answers)
	mux.Handle("POST "+execution.AnswerPath+"{token}", answers)
	pages := web.New(p, web.Options{Files: ui.Files(), HTTP: offer, Version: o.Version, Wait: o.Wait, Redact: o.Redact, Loaded: o.Loaded}).Handler()
	mux.Handle("GET /{$}", pages)
	mux.Handle("/ui", pages)
	mux.Handle("/ui/", pages)
	mux.Handle("/healthz", health.Handler(offer))
	mux.Handle("/readyz", health.Handler(offer))
	metadata := offer.Auth.Metadata(offer)
	mux.Handle("/.well-known/oauth-protected-resource", metadata)
	mux.Handle("/.well-known/oauth-protected-resource/mcp", metadata)
	return mux
}

var (
	codeBadCertificate = diag.DefineFault("bad-certificate", diag.RefusesRequest, "the files of `serve.tls` cannot be used", "the message says why")
	codeNoAudience     = diag.DefineFault("no-audience", diag.RefusesRequest, "`serve.oauth` has an issuer, and neither `serve.url` nor an audience is set", "write `serve.url`")
)

// newOffer is how the configuration lets clients in.
func newOffer(p *app.App, o mcpserver.Options) (httpd.Options, error) {
	s := p.Config().Serve
	offer := httpd.Options{
		BodyTimeout: s.BodyTimeout, WriteTimeout: s.WriteTimeout, InFlight: httpd.NewInFlight(s.MaxRequests),
		AllowedOrigins: s.AllowedOrigins, Hosts: s.Hosts, Proxies: s.TrustedProxies, Logger: o.Logger,
		Auth: &httpd.Auth{Tokens: access.Open(s.TokensFile), Required: s.RequireToken || len(s.TrustedProxies) > 0 || s.OAuth.Issuer != "", URL: s.URL, PerMinute: s.RequestsPerMinute, Logger: o.Logger},
	}
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		offer.Hosts = append(offer.Hosts, u.Hostname())
	}
	if s.OAuth.Issuer != "" {
		verifier, fault := newIssuer(p, s)
		if fault != nil {
			return offer, fault
		}
		offer.Auth.Issuer = verifier
	}
	if s.Cert == "" && s.Key == "" {
		return offer, nil
	}
	var err error
	if offer.Certificate, err = httpd.LoadCertificate(s.Cert, s.Key, o.Logger); err != nil {
		return offer, diag.Faultf(codeBadCertificate, "the certificate of serve.tls cannot be used: %w", err).WithHint("cert and key are files in PEM; cert has the chain too")
	}
	return offer, nil
}

// newIssuer verifies the access tokens of the configured issuer, which is reached by the
// rules of egress for APIs that the operator names.
func newIssuer(p *app.App, s config.Serve) (*issuer.Issuer, *diag.Fault) {
	audience := cmp.Or(s.OAuth.Audience, s.URL)
	if audience == "" {
		return nil, diag.Faultf(codeNoAudience, "serve.oauth needs an audience, by which tokens for this server are told from others").
			WithHint("write serve.url, the address by which clients reach the server, or serve.oauth.audience")
	}
	rights := access.Rights{Allow: s.OAuth.Allow, Deny: s.OAuth.Deny}
	if fault := rights.CheckPatterns("/serve/oauth"); fault != nil {
		return nil, fault
	}
	reach := p.Egress.APIReach(s.OAuth.Issuer)
	return issuer.New(issuer.Options{URL: s.OAuth.Issuer, Audience: audience, Rights: rights, Transport: reach, Reach: func(url string) { reach.Add(url) }}), nil
}
