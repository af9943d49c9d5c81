//go:build !linux && !darwin

package health

// roomIn is not known on this system.
func roomIn(string) (bytes uint64, known bool) { return 0, false }
