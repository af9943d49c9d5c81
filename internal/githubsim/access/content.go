package access

import (
	"slices"
	"time"

	"waybill/internal/githubsim/hub"
)

// ContentLimit bounds the number of pull requests and comments, which notify people, that one caller may create. Zero
// means no limit. GitHub does not publish its numbers; others have measured 20 and 150.
type ContentLimit struct{ PerMinute, PerHour int }

// SetContent changes the content limit of each caller.
func (ls *Limits) SetContent(limit ContentLimit) { ls.content = limit }

// Create counts one pull request or comment, or refuses it if the caller has created too many in the last minute or
// hour.
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
