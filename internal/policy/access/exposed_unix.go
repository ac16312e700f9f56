//go:build unix

package access

import "io/fs"

// exposed reports whether other users have rights to a file.
func exposed(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 }
