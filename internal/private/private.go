// Package private checks the permissions of files that hold secrets.
package private

import (
	"fmt"
	"os"
	"runtime"
)

// others are the permissions that only the owner of a file should have, apart from reading by its group.
const others = 0o027

// Check returns an error for a file that others may use or that its group may write. The error says how to fix it.
func Check(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&others != 0 {
		return fmt.Errorf("others may use %s (mode %04o): run chmod 600 on it, or 640 if its group is to read it", f.Name(),
			mode)
	}
	return nil
}
