package setup

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// TokenCommand is patchbay token.
func TokenCommand(f *command.Flags) *cobra.Command {
	c := command.GroupCommand("token", "Tokens for clients of serve --http: add, list, revoke", "  patchbay token add ci --scope graph:run --allow graph:report\n  patchbay token list")
	c.Long = "Tokens for clients of serve --http. A server that runs takes over each change at once. The file has hashes of the tokens only; serve.tokensFile says where it is."
	c.AddCommand(tokenAddCommand(f), tokenListCommand(f), tokenRevokeCommand(f))
	return c
}

// Tokens are those of the configuration.
func Tokens(f *command.Flags, stderr io.Writer) (*access.Tokens, error) {
	cfg, _, err := f.LoadConfig()
	f.Redactor.Store(cfg.Redactor)
	command.PrintLeftOut(stderr, cfg.Untrusted)
	return access.Open(cfg.Serve.TokensFile), err
}

// shownToken is a token as commands print it.
type shownToken struct {
	Name    string     `json:"name"`
	Token   string     `json:"token,omitempty"` // only when it is made
	Scopes  []string   `json:"scopes"`
	Allow   []string   `json:"allow,omitempty"`
	Deny    []string   `json:"deny,omitempty"`
	Quota   string     `json:"quota,omitempty"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
	Expired bool       `json:"expired,omitempty"`
}

func showToken(k access.Token, now time.Time) shownToken {
	out := shownToken{Name: k.Name, Scopes: k.Scopes, Allow: k.Allow, Deny: k.Deny, Quota: k.Quota.String(), Created: k.Created}
	if !k.Expires.IsZero() {
		out.Expires, out.Expired = &k.Expires, !now.Before(k.Expires)
	}
	return out
}

func tokenAddCommand(f *command.Flags) *cobra.Command {
	var k access.Token
	var expires, quota string
	c := &cobra.Command{
		Use: "add NAME", Short: "Make a token for a client of serve --http, and print it once",
		Long: "Make a token and print it. It is not stored and cannot be printed again. " +
			"--allow and --deny take patterns of SERVER/TOOL and of graph:NAME, in which * stands for any characters and ? for one. What the client may not use it does not see either: " +
			"not in lists, not by search, and not in the graphs that use it. A graph that a pattern graph:NAME allows may use tools that no pattern allows, but none that is denied.",
		Example: "  patchbay token add ci --scope graph:run --allow graph:report --expires 30d\n  patchbay token add ann --scope catalog:read,graph:run,graph:write --deny 'shop/delete_*' --quota 1000/day",
		RunE: func(cmd *cobra.Command, args []string) error {
			tokens, err := Tokens(f, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			now := time.Now().UTC().Truncate(time.Second)
			k.Name, k.Created = args[0], now
			if k.Expires, err = expiry(expires, now); err != nil {
				return err
			}
			var fault *diag.Fault
			if k.Quota, fault = access.ParseQuota(quota); fault != nil {
				return fault
			}
			secret, fault := tokens.Add(k)
			if fault != nil {
				return fault
			}
			out := showToken(k, now)
			out.Token = secret
			return f.Print(cmd, command.Result{Value: out, Names: func() []string { return []string{k.Name} }, Text: func(w *term.Page) {
				fmt.Fprintln(w, secret)
				fmt.Fprintln(cmd.ErrOrStderr(), "patchbay: this is the only time that the token is shown; clients send it as Authorization: Bearer TOKEN")
			}})
		},
	}
	c.Flags().StringSliceVar(&k.Scopes, "scope", []string{access.Read, access.Run}, "what it is for: "+strings.Join(access.Scopes, ", ")+" `SCOPE` (repeatable)")
	c.Flags().StringSliceVar(&k.Allow, "allow", nil, "tools and graphs that it may use, as a `PATTERN` (repeatable; default all)")
	c.Flags().StringSliceVar(&k.Deny, "deny", nil, "tools and graphs that it may not use, as a `PATTERN` (repeatable)")
	c.Flags().StringVar(&expires, "expires", "90d", "when it ends: a `TIME` such as 12h, 30d, 2027-01-31, or never")
	c.Flags().StringVar(&quota, "quota", "", "calls of tools that it allows, as `CALLS/PERIOD`, such as 1000/day; periods are minute, hour and day")
	return c
}

// maxDays bounds what --expires may say in days.
const maxDays = 36_500

// expiry reads when a token ends; zero is never.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "never" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil && at.After(now) {
		return at, nil
	}
	number, days := strings.CutSuffix(text, "d")
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d), nil
	} else if n, err := strconv.Atoi(number); days && err == nil && n > 0 && n <= maxDays {
		return now.AddDate(0, 0, n), nil
	}
	return time.Time{}, diag.BadArgument("--expires", "write 12h, 30d, a date to come such as 2027-01-31, or never", "%q is not a time at which a token can end", diag.Excerpt(text))
}

func tokenListCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: command.Aliases["list"], Short: "List the tokens, without the tokens themselves", Example: "  patchbay token list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			tokens, err := Tokens(f, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			list, fault := tokens.List()
			if fault != nil {
				return fault
			}
			now, shown := time.Now(), []shownToken{}
			for _, k := range list {
				shown = append(shown, showToken(k, now))
			}
			return f.Print(cmd, command.Result{Value: map[string][]shownToken{"tokens": shown}, Text: func(w *term.Page) { printTokens(w, shown) }, Names: func() []string {
				return lists.Each(shown, func(k shownToken) string { return k.Name })
			}})
		},
	}
}

func printTokens(w *term.Page, list []shownToken) {
	t := term.NewTable("name", "scopes", "allow", "deny", "quota", "expires")
	for _, k := range list {
		ends := "never"
		if k.Expires != nil {
			ends = term.Ago(*k.Expires, time.Now())
		}
		if k.Expired {
			ends = "expired"
		}
		t.Add(k.Name, strings.Join(k.Scopes, " "), strings.Join(k.Allow, " "), strings.Join(k.Deny, " "), k.Quota, ends)
	}
	t.WriteOr(w, "no tokens")
}

func tokenRevokeCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "revoke NAME", Short: "Remove a token: requests with it are refused from now on", Example: "  patchbay token revoke ci",
		RunE: func(cmd *cobra.Command, args []string) error {
			tokens, err := Tokens(f, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if fault := tokens.Revoke(args[0]); fault != nil {
				return fault
			}
			return f.Print(cmd, command.Result{Value: map[string]any{"name": args[0], "revoked": true}, Text: func(w *term.Page) { fmt.Fprintf(w, "revoked %s\n", args[0]) }})
		},
	}
}
