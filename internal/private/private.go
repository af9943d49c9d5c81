// Package private tells whether a file that holds secrets is in the wrong hands.
package private

import (
	"fmt"
	"os"
	"runtime"
)

// others are the rights that nobody but the owner of a file should have, reading by its group aside.
const others = 0o027

// Check refuses a file that everybody may read or anybody else may write. The error says what to do.
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
