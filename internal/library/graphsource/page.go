package graphsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	maxFetch     = 2 * time.Minute // of all requests
	maxRedirects = 5
)

// errNone is that of a page that is not there.
var errNone = errors.New("the page does not exist (404)")

func (s *Source) fetchPage(ctx context.Context, got *Fetched, o Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, maxFetch)
	defer cancel()
	client := &http.Client{Transport: o.Transport(s.url.String()), CheckRedirect: func(to *http.Request, via []*http.Request) error {
		switch {
		case to.URL.Scheme != "https":
			return errors.New("it redirects to " + to.URL.Scheme)
		case len(via) > maxRedirects:
			return errors.New("it redirects too often")
		}
		return nil
	}}
	if got.Graph, err = page(ctx, client, s.url.String(), o.MaxBytes); err != nil {
		return err
	}
	tests := *s.url
	tests.Path, tests.RawPath = testsPath(s.url.Path), ""
	got.Tests, err = page(ctx, client, tests.String(), o.MaxBytes)
	if errors.Is(err, errNone) {
		return nil
	}
	return err
}

func page(ctx context.Context, client *http.Client, url string, maxBytes int64) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	r, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Body.Close() }()
	switch {
	case r.StatusCode == http.StatusNotFound:
		return "", errNone
	case r.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the server answers %s", r.Status)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBytes+1))
	if err == nil && int64(len(text)) > maxBytes {
		err = tooLarge(maxBytes)
	}
	return string(text), err
}

func tooLarge(maxBytes int64) error {
	return fmt.Errorf("it is larger than the limit of %d MiB", maxBytes>>20)
}
