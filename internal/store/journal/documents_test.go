package journal_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// Documents and secrets change at random. The run of each has its document on disk as the secrets
// of that moment leave it, whatever was stored of the same document before.
func TestDocumentsHaveTheSecretsOfTheirRunReplaced(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		redactor := secrets.NewRedactor([]secrets.Secret{{Name: "first", Value: "sesame-00000"}})
		path := filepath.Join(t.TempDir(), "runs.db")
		j := openJournal(t, path, &journal.Options{Redact: redactor.Refer, Secrets: redactor.Version})
		cold := openJournal(t, path+".cold", &journal.Options{Redact: redactor.Refer})
		for i := range 30 {
			if r.IntN(4) == 0 {
				secret := secrets.Secret{Name: fmt.Sprint("s", i), Value: fmt.Sprintf("sesame-%05d", r.IntN(8))}
				if r.IntN(2) == 0 {
					redactor.Learn(secret)
				} else {
					redactor.Include(secrets.NewRedactor([]secrets.Secret{secret}))
				}
			}
			text := strings.Repeat(fmt.Sprintf(`- a: "sesame-%05d\n" # \d`+"\n", r.IntN(8)), []int{1, 60, 61}[r.IntN(3)])
			var stored []string
			for _, into := range []*journal.Journal{j, cold} {
				rec := &run.Record{ID: fmt.Sprint("r", i), Status: run.Running, Started: now, Source: run.Source{Text: text}}
				if err := into.Begin(rec, true); err != nil {
					t.Fatal(err)
				}
				rec.Status, rec.Ended = run.Succeeded, now
				if err := into.End(rec, true); err != nil {
					t.Fatal(err)
				}
				read, err := into.Load(run.Actor{Operator: true}, rec.ID)
				if err != nil {
					t.Fatal(err)
				}
				stored = append(stored, read.Source.Text)
			}
			if want := string(redactor.Refer([]byte(text))); stored[0] != stored[1] || stored[0] != want {
				t.Fatalf("seed %d, run %d: the document is\n%.200s\nwant\n%.200s", seed, i, stored[0], want)
			}
		}
	}
}

// What is stored of a document for one run is not changed by that of another.
func TestTheColumnOfADocumentIsNotShared(t *testing.T) {
	redactor := secrets.NewRedactor([]secrets.Secret{{Name: "a", Value: "sesame-opens"}})
	path := filepath.Join(t.TempDir(), "runs.db")
	j := openJournal(t, path, &journal.Options{Redact: redactor.Refer, Secrets: redactor.Version})
	text := strings.Repeat("sesame-opens\n", 200)
	for i := range 3 {
		rec := &run.Record{ID: fmt.Sprint("r", i), Status: run.Running, Started: now, Source: run.Source{Text: text}, Arguments: []byte(fmt.Sprintf(`{"n":%q}`, strings.Repeat(strconv.Itoa(i), 70_000)))}
		if err := j.Begin(rec, true); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		read, err := j.Load(run.Actor{Operator: true}, fmt.Sprint("r", i))
		if err != nil || !strings.HasPrefix(string(read.Arguments), fmt.Sprintf(`{"n":"%d%d`, i, i)) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	for _, suffix := range []string{"", "-wal"} {
		if b, err := os.ReadFile(path + suffix); err == nil && strings.Contains(string(b), "sesame-opens") {
			t.Errorf("the secret is in %s", path+suffix)
		}
	}
}
