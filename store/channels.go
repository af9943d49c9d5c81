package store

import (
	"slices"

	"waybill/promotion"
)

// A channel of Slack belongs to those who have claimed it there, so that a pipeline file of somebody else cannot write
// into it. An owner on GitHub is known by the installation of the App: names change hands, and whoever removes the App
// gives up their channels with it.

// Channel is a channel of Slack that is claimed for an installation.
type Channel struct {
	ID           string // Slack's
	Name         string // with its #, when it was claimed; empty: not known
	Installation int64
}

// ClaimChannel notes that the pipelines of an installation may be told of in a channel.
func (n Names) ClaimChannel(c Channel) error {
	_, err := n.tx.exec(`INSERT INTO channels (id, installation, name, claimed_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id, installation) DO UPDATE SET name = excluded.name, claimed_at = excluded.claimed_at`,
		c.ID, c.Installation, c.Name, micros(n.tx.Now))
	return wrap("claim a channel", err)
}

// UnclaimChannel takes the claim of an installation back.
func (n Names) UnclaimChannel(id string, installation int64) error {
	_, err := n.tx.exec(`DELETE FROM channels WHERE id = $1 AND installation = $2`, id, installation)
	return wrap("take back the claim of a channel", err)
}

// Channels says in which channels pipelines are told of. A pipeline file only wishes for a channel.
type Channels struct {
	Sole    bool      // the server works for one owner: each channel is theirs
	Claimed []Channel // those claimed last first
}

// Channels reads the claimed channels; none is read for a sole owner.
func (n Names) Channels(sole bool) (c Channels, err error) {
	if c.Sole = sole; sole {
		return c, nil
	}
	c.Claimed, err = list(n.tx, func(c *Channel) []any { return []any{&c.ID, &c.Name, &c.Installation} },
		`SELECT id, name, installation FROM channels ORDER BY claimed_at DESC, id, installation`)
	return c, wrap("read whose channels there are", err)
}

// Unclaimed lists the channels that a pipeline file wishes for and that are not claimed for its installation, each
// once.
func (c Channels) Unclaimed(installation int64, p *promotion.Pipeline) (wishes []string) {
	for _, s := range p.Stages {
		if s.Slack != "" && c.Of(installation, s.Slack) == "" && !slices.Contains(wishes, s.Slack) {
			wishes = append(wishes, s.Slack)
		}
	}
	return wishes
}

// Of returns the channel in which the pipelines of an installation are told of, where their files wish for one by its
// id or name: an id, or with a sole owner the wish itself. It is empty if there is none.
func (c Channels) Of(installation int64, wish string) string {
	if c.Sole || wish == "" {
		return wish
	}
	for _, one := range c.Claimed {
		if one.Installation == installation && (one.ID == wish || one.Name == wish) {
			return one.ID
		}
	}
	return ""
}
