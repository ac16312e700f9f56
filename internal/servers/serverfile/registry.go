package serverfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Bounds on what is asked of a registry.
const (
	maxReply    = 8 << 20 // bytes
	maxListings = 30
	maxWait     = 20 * time.Second
)

// A Listing is one server in a registry.
type Listing struct {
	Name        string   `json:"name"`
	Version     string   `json:"version,omitempty"`
	Description string   `json:"description,omitempty"`
	Add         string   `json:"add,omitempty"` // the command that adds it; "" if the registry names no way to reach it
	Env         []string `json:"env,omitempty"` // environment variables that it needs
}

// listed is a server as the registry's API has it.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Version     string `json:"version"`
	Packages    []struct {
		Type       string `json:"registryType"`
		Identifier string `json:"identifier"`
		Version    string `json:"version"`
		Env        []struct {
			Name     string `json:"name"`
			Required bool   `json:"isRequired"`
		} `json:"environmentVariables"`
	} `json:"packages"`
	Remotes []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"remotes"`
}

// Find asks a registry for servers by words. What it says is shown to people as it is,
// without control characters; nothing of it is started or added.
func Find(ctx context.Context, registry, words string) ([]Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	u, err := url.Parse(registry)
	if err != nil {
		return nil, err
	}
	u.Path = path.Join(u.Path, "/v0/servers")
	u.RawQuery = url.Values{"search": {words}, "limit": {strconv.Itoa(maxListings)}, "version": {"latest"}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered with HTTP %s", resp.Status)
	}
	var reply struct {
		Servers []struct {
			listed        // earlier versions of the API
			Server listed `json:"server"`
		} `json:"servers"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&reply) != nil {
		return nil, errors.New("its answer is not that of an MCP registry")
	}
	found := []Listing{}
	for _, s := range reply.Servers {
		one := s.Server
		if one.Name == "" {
			one = s.listed
		}
		if one.Name != "" && len(found) < maxListings {
			found = append(found, one.listing())
		}
	}
	return found, nil
}

func (s *listed) listing() Listing {
	l := Listing{Name: diag.OneLine(s.Name), Version: diag.OneLine(s.Version), Description: diag.Cut(diag.OneLine(s.Description), 200)}
	name := config.LegalName(path.Base(s.Name))
	for _, p := range s.Packages {
		source := p.Type + ":" + p.Identifier
		if p.Version != "" {
			source += map[string]string{"npm": "@", "pypi": "=="}[p.Type] + p.Version
		}
		if !IsPackage(source) || strings.ContainsAny(source, " \t\n'\"\\$`;&|<>") {
			continue
		}
		l.Add = "patchbay mcp add " + name + " " + source
		for _, v := range p.Env {
			if v.Required {
				l.Env = append(l.Env, diag.OneLine(v.Name))
			}
		}
		return l
	}
	for _, r := range s.Remotes {
		if _, err := URL(name, r.URL); err == nil && !strings.ContainsAny(r.URL, " \t\n'\"\\$`;&|<>{}") {
			l.Add = "patchbay mcp add " + name + " " + r.URL
			return l
		}
	}
	return l
}
