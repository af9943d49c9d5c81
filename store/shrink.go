package store

import "fmt"

// worthShrinking is how many pages must lie idle before they are given back to the file system, and that is at least a
// quarter of the file: what is pruned today makes room for what comes tomorrow.
const worthShrinking = 4096

// Shrink gives some idle pages back to the file system, if there are so many that it is worth it, and reports whether it
// did. A database that was made before this could be done keeps its size; a backup of it can shrink.
func (up Upkeep) Shrink(pages int) (shrunk bool, err error) {
	var idle, all, mode int64
	for _, read := range []struct {
		pragma string
		into   *int64
	}{{`PRAGMA freelist_count`, &idle}, {`PRAGMA page_count`, &all}, {`PRAGMA auto_vacuum`, &mode}} {
		if err := up.tx.conn.scan(read.pragma, read.into); err != nil {
			return false, fmt.Errorf("shrink the file: %w", err)
		}
	}
	if mode != incremental || idle < worthShrinking || idle < all/4 {
		return false, nil
	}
	if err := up.tx.conn.once(fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, pages)); err != nil {
		return false, fmt.Errorf("shrink the file: %w", err)
	}
	return true, nil
}

// incremental is the auto_vacuum mode in which pages are given back when somebody asks for it.
const incremental = 2
