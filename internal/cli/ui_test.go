package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// The link that patchbay ui prints opens the page, which edits the file that was named.
func TestUI(t *testing.T) {
	isolated(t)
	writing(t, "sure.yaml", askingGraph)()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := &command.Flags{OptionalWait: command.MaxOptionalWait}
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- runWith(ctx, f, []string{"ui", "sure.yaml", "--no-open"}, nil, write, io.Discard)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "http://127.0.0.1:") {
		t.Fatalf("it prints %s", lines.Text())
	}
	link := lines.Text()
	jar, _ := cookiejar.New(nil)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Jar: jar, Transport: transport}
	ask := func(method, url, body string) string {
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Patchbay-UI", "1")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := ask(http.MethodGet, link, ""); !strings.Contains(got, "<title>Patchbay</title>") {
		t.Errorf("the page is %s", got)
	}
	page, token, _ := strings.Cut(link, "?token=")
	if got := ask(http.MethodPost, page+"api/session", `{"token":"`+token+`"}`); !strings.Contains(got, "signed_in") {
		t.Errorf("signing in gives %s", got)
	}
	if got := ask(http.MethodGet, page+"api/file", ""); !strings.Contains(got, "Sure?") {
		t.Errorf("the file is %s", got)
	}
	f.Interrupted.Store(true)
	cancel()
	if got := <-code; got != command.ExitOK {
		t.Errorf("it ends with %d", got)
	}
}
