package execution

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"os"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/run"
)

// Journal looks at the journal of the configuration: nil without one, or while nothing has
// run yet.
//
// Faults: journal-failed.
func (st *Storage) Journal(ctx context.Context) (*journal.Inspection, *diag.Fault) {
	cfg := st.execution.process.Config()
	if cfg.Runs.Memory {
		return nil, nil
	}
	if _, err := os.Stat(cfg.Runs.File); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	in, err := journal.Inspect(ctx, cfg.Runs.File)
	if fault, ok := errors.AsType[*diag.Fault](err); ok {
		return nil, fault
	}
	return in, nil
}

// OpenJournal opens the journal in a file as a configuration says.
func OpenJournal(cfg *config.Config, file string, log *slog.Logger) (*journal.Journal, error) {
	key, err := journalKey(&cfg.Runs)
	if err != nil {
		return nil, err
	}
	return journal.Open(file, &journal.Options{
		Redact: cfg.Redactor.Refer, Secrets: cfg.Redactor.Version, Restore: cfg.Redactor.Restore, Logger: log, Project: cfg.Project, FormerProjects: cfg.FormerProjects,
		Key: key, Own: files.Within(cfg.StateDir, file),
	})
}

var codeNoJournalKey = diag.DefineFault("no-journal-key", diag.FailsAttempt, "the key of the journal cannot be stored or read", "set `XDG_STATE_HOME`, or [`runs.key`](durability.md#which-runs-are-believed)")

// journalKey returns the key of journals: the configured one, or that of the user's file.
func journalKey(r *config.Runs) ([]byte, error) {
	fault := diag.Faultf(codeNoJournalKey, "there is no key for the journal, and no folder to keep one in")
	fault.Hint = "set HOME or XDG_STATE_HOME, or runs.key in patchbay.yaml (in a program, Options.StoreKey); or start with --store memory, which keeps no runs"
	switch {
	case r.Key != "":
		key := sha256.Sum256([]byte("patchbay journal " + r.Key))
		return key[:], nil
	case r.KeyFile == "":
		return nil, fault
	}
	if key, err := files.Read(r.KeyFile, keySize); err == nil && len(key) == keySize { // also where nothing can be written
		return key, nil
	}
	fresh := make([]byte, keySize)
	_, _ = rand.Read(fresh) // never fails
	key, err := loadOrCreateKey(r.KeyFile, fresh)
	if err != nil {
		fault.Message, fault.Err = "the key for the journal cannot be read: "+err.Error(), err
		return nil, fault
	}
	return key, nil
}

// TrustRuns has the runs of a journal that are not verified believed as they are, if decide
// says so of them. It returns these runs, whether they are believed, and the IDs of those
// that are not because they have changed since decide saw them.
func (st *Storage) TrustRuns(file string, decide func([]run.Summary) (bool, error)) (list []run.Summary, trusted bool, changed []string, err error) {
	if _, err := os.Stat(file); err != nil { // it would be created
		return nil, false, nil, diag.BadArgument("/file", "name the file of a journal: runs.file", "open %s: %w", file, files.Reason(err))
	}
	j, err := OpenJournal(st.execution.process.Config(), file, st.execution.process.Log)
	if err != nil {
		return nil, false, nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	found, err := j.Unverified()
	if err != nil {
		return nil, false, nil, err
	}
	for _, r := range found {
		list = append(list, r.Summary)
	}
	if trusted, err = decide(list); err == nil && trusted {
		changed, err = j.Trust(found)
	}
	return list, trusted && err == nil, changed, err
}
