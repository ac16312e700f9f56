package journal

import (
	"context"
	"errors"
	"os"
)

// An Inspection is what [Inspect] finds.
type Inspection struct {
	Format int
	Bytes  int64 // of the file and its write-ahead log
	Runs   int
	Whole  bool // all of it was looked through for damage; of a large file only the headers
}

// Inspect looks at a journal that is in use, or that can be. It changes nothing.
//
// Faults: journal-failed.
func Inspect(ctx context.Context, path string) (*Inspection, error) {
	db, err := openReads(path)
	if err != nil {
		return nil, journalFault(path, "read", err)
	}
	c, err := db.Conn(ctx)
	in := &Inspection{}
	if err == nil {
		for _, suffix := range append([]string{""}, sideFiles[:]...) {
			if info, err := os.Stat(path + suffix); err == nil {
				in.Bytes += info.Size()
			}
		}
		in.Whole = in.Bytes <= checkedWhole
		_, err = checkTables(ctx, c, in.Whole)
		if err == nil {
			in.Format, err = versionOf(ctx, c)
		}
		if err == nil {
			err = c.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&in.Runs)
		}
		err = errors.Join(err, c.Close())
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, journalFault(path, "read", err)
	}
	return in, nil
}
