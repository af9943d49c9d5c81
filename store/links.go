package store

import (
	"errors"
	"fmt"
	"time"

	"waybill/promotion"
)

// SlackUser is a person in Slack, by ids that people cannot choose.
type SlackUser struct {
	Team string // the organization if there is one, else the workspace
	ID   string
}

// LinkOffer lets a person in Slack say on the web who they are on GitHub.
type LinkOffer struct {
	State   string // cannot be guessed
	For     SlackUser
	Name    string // the person's name in Slack, to be shown before anything is linked
	Expires time.Time
}

// Link says who a person in Slack is on GitHub.
type Link struct {
	User SlackUser
	By   promotion.Actor
}

var (
	// ErrOfferOver says that a link was never offered, has been completed already, or took too long.
	ErrOfferOver = errors.New("not offered, or not any more")
	// ErrLinkedElsewhere says that a GitHub account belongs to another person in Slack already.
	ErrLinkedElsewhere = errors.New("linked to another Slack user")
)

// OfferLink writes an offer down.
func (pe People) OfferLink(o LinkOffer) error {
	_, err := pe.tx.exec(`INSERT INTO link_offers (state, team, slack_user, name, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		o.State, o.For.Team, o.For.ID, o.Name, micros(o.Expires))
	return wrap("offer a link", err)
}

// LinkOffered returns an offer that still stands, else ErrOfferOver.
func (pe People) LinkOffered(state string) (o LinkOffer, err error) {
	found, err := pe.tx.one([]any{&o.State, &o.For.Team, &o.For.ID, &o.Name, at(&o.Expires)}, `SELECT state, team,
		slack_user, name, expires_at
		FROM link_offers WHERE state = $1 AND used_at IS NULL AND expires_at > $2`, state, micros(pe.tx.Now))
	if err == nil && !found {
		err = ErrOfferOver
	}
	return o, wrap("read an offer to link", err)
}

// CompleteLink links the person of an offer with a GitHub account, once. Another account of the same person takes the
// place of the one before; an account of another person's is ErrLinkedElsewhere.
func (pe People) CompleteLink(state string, who promotion.Actor) (LinkOffer, error) {
	o, err := pe.LinkOffered(state)
	if err != nil {
		return o, err
	}
	n, err := pe.tx.exec(`INSERT INTO links (team, slack_user, actor_id, actor, linked_at)
		SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM links WHERE actor_id = $3 AND (team <> $1
		OR slack_user <> $2))
		ON CONFLICT (team, slack_user) DO UPDATE SET actor_id = $3, actor = $4, linked_at = $5`,
		o.For.Team, o.For.ID, who.ID, who.Login, micros(pe.tx.Now))
	if err == nil && n == 0 {
		err = ErrLinkedElsewhere
	}
	if err == nil {
		err = pe.tx.mustChange("use an offer to link",
			`UPDATE link_offers SET used_at = $2 WHERE state = $1 AND used_at IS NULL`, state, micros(pe.tx.Now))
	}
	return o, wrap(fmt.Sprintf("link %s", who.Login), err)
}

// Quiet notes whether a person wants no direct messages. It reports whether they are linked, without which they get
// none.
func (pe People) Quiet(u SlackUser, quiet bool) (linked bool, err error) {
	n, err := pe.tx.exec(`UPDATE links SET quiet = $3 WHERE team = $1 AND slack_user = $2`, u.Team, u.ID, quiet)
	return n > 0, wrap("note who wants direct messages", err)
}

// Reachable returns some of those who are linked in a workspace and take direct messages: first those who have signed
// something off in the pipeline, the latest of them before the others.
func (pe People) Reachable(team string, pipeline int64, most int) ([]Link, error) {
	all, err := list(pe.tx, func(l *Link) []any { return []any{&l.User.Team, &l.User.ID, &l.By.ID, &l.By.Login} },
		`SELECT team, slack_user, actor_id, actor FROM links WHERE team = $1 AND NOT quiet
		ORDER BY (SELECT COALESCE(MAX(a.id), 0) FROM approvals a WHERE a.pipeline = $2 AND a.kind = 'sign-off'
		AND a.actor_id = links.actor_id) DESC, linked_at, slack_user LIMIT $3 + 0`, team, pipeline, most)
	return all, wrap("list who takes direct messages", err)
}

// Unlink ends a link, if there is one.
func (pe People) Unlink(u SlackUser) error {
	_, err := pe.tx.exec(`DELETE FROM links WHERE team = $1 AND slack_user = $2`, u.Team, u.ID)
	return wrap("end a link", err)
}

// Linked returns who a person in Slack is on GitHub; false if that is not known.
func (pe People) Linked(u SlackUser) (who promotion.Actor, known bool, err error) {
	known, err = pe.tx.one([]any{&who.ID, &who.Login},
		`SELECT actor_id, actor FROM links WHERE team = $1 AND slack_user = $2`, u.Team, u.ID)
	return who, known, wrap("read a link", err)
}
