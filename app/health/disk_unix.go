//go:build linux || darwin

package health

import "syscall"

// roomIn returns how many bytes may still be written to the file system of a folder; known is false where it does not
// say.
func roomIn(folder string) (bytes uint64, known bool) {
	var fs syscall.Statfs_t
	if syscall.Statfs(folder, &fs) != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
