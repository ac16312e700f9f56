package plans

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// LoginInput names a remote server.
type LoginInput struct {
	Server string `json:"server" jsonschema:"the name of a remote server" arg:"NAME"`
}

// LoginResult says where a person agrees to a login.
type LoginResult struct {
	Server  string `json:"server"`
	Address string `json:"address"` // to open in a browser on this machine
}

// LoginTimeout is how long a login waits for a person.
const LoginTimeout = 5 * time.Minute

var codeLoginFailed = diag.DefineFault("login-failed", diag.RefusesRequest, "a remote server, or its authorization server, refused the login", "read the message; `auth: {client: {id: …}}` names a client that is registered")

// Login begins a login to a remote server, which is started again when a person has agreed at
// the address.
func (ds *Downstream) Login(ctx context.Context, in LoginInput) (*LoginResult, *diag.Fault) {
	address, failed := make(chan string, 1), make(chan *diag.Fault, 1)
	ds.plans.process.Background(func() {
		work, cancel := context.WithTimeout(ds.plans.process.Working, LoginTimeout)
		defer cancel()
		if _, fault := ds.LogIn(work, in.Server, func(a string) { address <- a }); fault != nil {
			ds.plans.process.Log.Warn("a login failed", "server", in.Server, "error", fault.Message) // also for a caller that has gone
			failed <- fault
			return
		}
		_, _ = ds.Sync(work, SyncInput{Servers: []string{in.Server}})
	})
	select {
	case a := <-address:
		return &LoginResult{in.Server, a}, nil
	case fault := <-failed:
		return nil, fault
	case <-ctx.Done():
		return nil, diag.Faultf(diag.CodeCancelled, "the request was cancelled")
	}
}

// LogIn logs in to a remote server. It calls show with the address at which a person agrees,
// and returns the server when the person has.
func (ds *Downstream) LogIn(ctx context.Context, name string, show func(address string)) (config.Server, *diag.Fault) {
	s, fault := ds.Configured(name)
	if fault != nil {
		return s, fault
	}
	if err := downstream.Login(ctx, &downstream.Server{Name: s.Name, URL: s.URL, Auth: downstream.Auth(s.Auth)}, show); err != nil {
		return s, diag.Faultf(codeLoginFailed, "the login to server %q failed: %w", s.Name, err)
	}
	return s, nil
}

// Configured returns the server of a name, or says which there are.
func (ds *Downstream) Configured(name string) (config.Server, *diag.Fault) {
	var names []string
	for _, s := range ds.plans.process.Config().Servers {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return config.Server{}, downstream.UnknownServer(name, names)
}
