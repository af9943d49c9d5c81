package slack

import (
	"context"
	"time"
)

// Person is a person in Slack.
type Person struct {
	ID, Name string
	// Stranger says why a person may not ask for anything, even if they are linked to GitHub; empty: they may.
	Stranger string
}

type known struct {
	Person
	at time.Time
}

const (
	// knownFor is how long an answer about a person is kept.
	knownFor = 5 * time.Minute
	// maxKnown bounds how many people are remembered.
	maxKnown = 10_000
)

// Who asks who a person is. Names are only for people to read: the administrators of a workspace can change them (T26).
func (c *Client) Who(ctx context.Context, user string) (Person, error) {
	c.mu.Lock()
	k, found := c.people[user]
	c.mu.Unlock()
	if found && c.config.Clock().Sub(k.at) < knownFor {
		return k.Person, nil
	}
	home, err := c.Home(ctx)
	if err != nil {
		return Person{}, err
	}
	u, err := c.api.GetUserInfoContext(ctx, user)
	if err = classify("ask who "+user+" is", err); err != nil {
		if Refused(err, "user_not_found", "user_not_visible") {
			return Person{ID: user, Name: user, Stranger: "Slack does not know you here"}, nil
		}
		return Person{}, err
	}
	p := Person{ID: user, Name: u.Name}
	switch elsewhere := u.TeamID != home.Team && (home.Enterprise == "" || u.Enterprise.EnterpriseID != home.Enterprise); {
	case u.Deleted:
		p.Stranger = "your account in Slack has been deactivated"
	case u.IsBot:
		p.Stranger = "bots may not"
	case u.IsRestricted || u.IsUltraRestricted:
		p.Stranger = "guests may not"
	case u.IsStranger || elsewhere:
		p.Stranger = "people from other workspaces may not"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.people) >= maxKnown {
		clear(c.people)
	}
	c.people[user] = known{p, c.config.Clock()}
	return p, nil
}
