package sqlite

import (
	"fmt"

	"waybill/store/driver"
)

// checkedBelow is how many pages a file may have that is checked from end to end when it is opened: 16 MiB. Larger ones
// would delay the start; damage in them is reported when it is met.
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
		return fmt.Errorf("%w: nothing was changed; restore a backup: %s", driver.ErrDamaged, verdict)
	}
	return nil
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
