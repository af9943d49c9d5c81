package shape

import (
	"fmt"
	"time"
)

// Freeze is a time of a year at which a stage is frozen: histories begin with a year.
type Freeze struct {
	After, For time.Duration
}

// text writes the freeze in a pipeline file.
func (f *Freeze) text() string {
	minutes := int(f.After / time.Minute)
	return fmt.Sprintf(`freeze: [{cron: "%d %d 1 1 *", for: %s, reason: inventory}]`, minutes%60, minutes/60, f.For)
}

// Frozen reports whether the stage is frozen.
func (s *Stage) Frozen(now time.Time) bool {
	if s.Freeze == nil {
		return false
	}
	now = now.UTC()
	begun := time.Date(now.Year(), time.January, 1, 0, 0, 0, 0, time.UTC).Add(s.Freeze.After)
	return !now.Before(begun) && now.Before(begun.Add(s.Freeze.For))
}
