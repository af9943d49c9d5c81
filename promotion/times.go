package promotion

import (
	"strings"
	"time"
)

// Sooner returns the earlier of two times, of which the zero time is never.
func Sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Brief writes a duration without the units that are zero: 1h, 1h30m, 1h5s, 90ms, 0s.
func Brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if h, seconds, found := strings.Cut(s, "h0m"); found {
		return h + "h" + seconds
	}
	return s
}
