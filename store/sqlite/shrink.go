package sqlite

import (
	"context"
	"fmt"

	"waybill/store/driver"
)

// worthShrinking is how many pages must lie idle before they are given back to the file system, and that is at least a
// quarter of the file: pages that are pruned today are used again tomorrow.
const worthShrinking = 4096

// pagesAtOnce bounds how long a step of Shrink keeps other writers waiting.
const pagesAtOnce = 200

// Shrink implements driver.DB. A file that was made by another program than Waybill keeps its size; a backup of it can
// shrink.
func (db *DB) Shrink(ctx context.Context) (shrunk bool, err error) {
	err = db.Update(ctx, func(c driver.Conn) error {
		shrunk, err = c.(*transaction).conn.shrink()
		return err
	})
	if err != nil {
		return false, fmt.Errorf("shrink the file: %w", err)
	}
	return shrunk, nil
}

func (c *conn) shrink() (shrunk bool, err error) {
	var idle, all, mode int64
	for _, read := range []struct {
		pragma string
		into   *int64
	}{{`PRAGMA freelist_count`, &idle}, {`PRAGMA page_count`, &all}, {`PRAGMA auto_vacuum`, &mode}} {
		if err := c.scan(read.pragma, read.into); err != nil {
			return false, err
		}
	}
	if mode != incremental || idle < worthShrinking || idle < all/4 {
		return false, nil
	}
	return true, c.once(fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, pagesAtOnce))
}

// incremental is the auto_vacuum mode in which pages are given back on request.
const incremental = 2
