package workspace

import (
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// info returns "name: value" lines about a file or directory. Times are in UTC.
func (f *folder) info(_ context.Context, a args) (string, error) {
	rel, err := f.resolve(a.Path)
	if err != nil {
		return "", err
	}
	i, err := f.root.Stat(rel)
	if err != nil {
		return "", fmt.Errorf("%w: %q", files.Reason(err), a.Path)
	}
	created, accessed := f.times(rel, i)
	return fmt.Sprintf("size: %d\ncreated: %s\nmodified: %s\naccessed: %s\nisDirectory: %t\nisFile: %t\npermissions: %03o",
		i.Size(), date(created), date(i.ModTime()), date(accessed), i.IsDir(), i.Mode().IsRegular(), i.Mode().Perm()), nil
}

// date writes a time the way JavaScript does, which graphs for the npm server
// may parse: to the nearest millisecond; the whole seconds are shown.
func date(t time.Time) string {
	return t.UTC().Round(time.Millisecond).Format("Mon Jan 02 2006 15:04:05") + " GMT+0000 (Coordinated Universal Time)"
}
