package store

import (
	"fmt"
)

// checkedBelow is how many pages a file may have that is checked from end to end when it is opened: 16 MiB. Larger ones
// would delay the start; what is damaged in them is reported when it is met.
const checkedBelow = 4096

// check refuses a damaged file.
func check(c *conn) error {
	var pages int64
	if err := c.scan(`PRAGMA page_count`, &pages); err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	if pages > checkedBelow {
		return nil
	}
	var verdict string
	if err := c.scan(`PRAGMA quick_check(1)`, &verdict); err != nil {
		return fmt.Errorf("check it: %w", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: nothing was changed; restore a backup: %s", ErrDamaged, verdict)
	}
	return nil
}

// schemaVersion returns the number of the newest migration that has been run; 0 for a file without tables. A file with
// the tables of another program is refused.
func schemaVersion(c *conn) (version int, err error) {
	var tables, ours int
	err = c.scan(`SELECT count(*), count(CASE WHEN name = 'schema_versions' THEN 1 END) FROM sqlite_master WHERE type = 'table'`, &tables, &ours)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read its tables: %w", err)
	case tables == 0:
		return 0, nil
	case ours == 0:
		return 0, fmt.Errorf("%w: another program made it; nothing was changed; choose another path", ErrNotDatabase)
	}
	if err = c.scan(`SELECT COALESCE(MAX(version), 0) FROM schema_versions`, &version); err != nil {
		return 0, fmt.Errorf("read its version: %w", err)
	}
	return version, nil
}

// keepLog switches to a write-ahead log, which lets others read while one writes.
func keepLog(c *conn) error {
	var mode string
	if err := c.scan(`PRAGMA journal_mode = WAL`, &mode); err != nil {
		return fmt.Errorf("keep a write-ahead log: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("its file system does not allow a write-ahead log (journal mode is %s): use a local disk", mode)
	}
	return nil
}
