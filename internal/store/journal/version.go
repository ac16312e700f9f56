package journal

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
)

// A counter reads what SQLite counts for one connection: the commits of all others.
type counter struct {
	mu   sync.Mutex
	conn *sql.Conn // nil before it is used
}

// Version returns a text that is the same only as long as [Journal.List] returns the same, and
// reads no run for it. It is not known if writes have failed. What this process has queued
// counts when it is written.
func (j *Journal) Version() (version string, known bool) {
	j.mu.Lock()
	failed := len(j.unwritten) > 0
	j.mu.Unlock()
	j.counter.mu.Lock()
	defer j.counter.mu.Unlock()
	var err error
	if j.counter.conn == nil {
		j.counter.conn, err = j.reads.Conn(context.Background())
	}
	var commits int64
	if err == nil {
		err = j.counter.conn.QueryRowContext(context.Background(), "PRAGMA data_version").Scan(&commits)
	}
	alive, gone := j.owner.others()
	if err != nil || failed || gone != nil {
		return "", false
	}
	return fmt.Sprint(commits, alive), true
}

// others are the other owners that are alive: the runs of one that ends change with it.
func (o *owner) others() (alive []string, err error) {
	entries, err := os.ReadDir(o.dir)
	for _, file := range entries {
		if id, ok := strings.CutSuffix(file.Name(), lockSuffix); ok && id != o.id && o.alive(id) {
			alive = append(alive, id)
		}
	}
	return alive, err
}

func (c *counter) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close()
	}
}
