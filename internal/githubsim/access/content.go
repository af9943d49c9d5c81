package access

import (
	"slices"
	"time"

	"waybill/internal/githubsim/hub"
)

// ContentLimit is how many things that notify people one caller may make: pull requests and comments. Zero: any number.
// GitHub keeps its numbers to itself; others have measured 20 and 150.
type ContentLimit struct{ PerMinute, PerHour int }

// SetContent changes how much content each caller may make.
func (ls *Limits) SetContent(limit ContentLimit) { ls.content = limit }

// Create counts one piece of content, or refuses it when the caller has made too many in the last minute or hour.
func (ls *Limits) Create(who hub.Caller, resource string) error {
	if ls.content == (ContentLimit{}) {
		return nil
	}
	now := ls.clock()
	made := slices.DeleteFunc(ls.made[who.Key()], func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	lately := 0
	for _, at := range made {
		if now.Sub(at) < time.Minute {
			lately++
		}
	}
	if ls.made[who.Key()] = made; lately >= ls.content.PerMinute || len(made) >= ls.content.PerHour {
		return hub.ValidationFailed(resource, "", "custom", "was submitted too quickly")
	}
	ls.made[who.Key()] = append(made, now)
	return nil
}
