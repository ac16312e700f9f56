//go:build !unix

package access

import "io/fs"

// exposed reports nothing where the mode of a file does not say who may read it.
func exposed(fs.FileMode) bool { return false }
