package rights

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

const (
	// rightsLast is how long GitHub is believed: whoever loses a right has lost it here by then.
	rightsLast = 5 * time.Minute
	// rightsKept bounds how many answers are remembered.
	rightsKept = 10_000
)

// Rights asks GitHub what people may do on a pipeline's home repository, and remembers the answers for a while, by the
// numeric ids of both: a login may belong to somebody else tomorrow (T14). What GitHub did not say is never remembered.
type Rights struct {
	hub    *gh.Hub
	clock  func() time.Time
	policy func(store.PipelineRow) (*promotion.Pipeline, error)
	known  *lru.Cache[key, grant]
	// changes counts how often everything was forgotten, so that an answer which was on its way meanwhile is not kept.
	changes atomic.Int64
}

type key struct{ pipeline, person int64 }

// grant is what a person may do, as GitHub said at a time.
type grant struct {
	permission promotion.Permission
	teams      []string
	at         time.Time
}

func New(hub *gh.Hub, clock func() time.Time, policy func(store.PipelineRow) (*promotion.Pipeline, error)) *Rights {
	known, err := lru.New[key, grant](rightsKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &Rights{hub: hub, clock: clock, policy: policy, known: known}
}

// Of returns what somebody may do on a pipeline's home repository, and which of the teams that its policy names they
// are in. A fresh answer is GitHub's own of this moment. An error is no permission.
func (r *Rights) Of(
	ctx context.Context, row store.PipelineRow, who promotion.Actor, fresh bool,
) (promotion.Permission, []string, error) {
	key, now, changes := key{row.ID, who.ID}, r.clock(), r.changes.Load()
	if it, known := r.known.Get(key); known && !fresh && now.Sub(it.at) < rightsLast {
		return it.permission, it.teams, nil
	}
	p, err := r.policy(row)
	if err != nil {
		return promotion.NoPermission, nil, err
	}
	it, err := r.ask(ctx, row, who, p.Policy.Teams())
	if err != nil {
		return promotion.NoPermission, nil, err
	}
	it.at = now
	if r.known.Add(key, it); r.changes.Load() != changes {
		r.known.Remove(key)
	}
	return it.permission, it.teams, nil
}

// ActorOf returns to whom a login belongs now; nobody if GitHub knows of none.
func (r *Rights) ActorOf(ctx context.Context, row store.PipelineRow, login promotion.Login) (promotion.Actor, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return promotion.Actor{}, err
	}
	answer, err := home.Permission(ctx, login)
	return answer.Actor, err
}

// Forget forgets everything, because GitHub says that people, teams or what they may do have changed.
func (r *Rights) Forget() {
	r.changes.Add(1)
	r.known.Purge()
}

// ask asks GitHub. Somebody who is not who the login belongs to now is looked up by their id.
func (r *Rights) ask(ctx context.Context, row store.PipelineRow, who promotion.Actor, teams []string) (grant, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return grant{}, err
	}
	answer, err := home.Permission(ctx, who.Login)
	if err == nil && answer.Actor.ID != who.ID {
		if who.Login, err = home.Called(ctx, who.ID); err != nil || who.Login == "" {
			return grant{}, err
		}
		answer, err = home.Permission(ctx, who.Login)
	}
	if err != nil || answer.Actor.ID != who.ID || who.ID == 0 {
		return grant{}, err
	}
	it := grant{permission: permissionOf(answer)}
	for _, team := range teams {
		org, slug := teamOf(row.Repo, team)
		if org != row.Repo.Owner() {
			continue // another organization's installation would have to be asked: who is in there does not count here
		}
		in, err := r.hub.InTeam(ctx, row.Installation, org, slug, who.Login)
		if errors.Is(err, gh.ErrRefused) { // the App may not read members: nobody is known to be in the team
			zerolog.Ctx(ctx).Warn().Err(err).Str("team", team).Msg("team not read; the App needs the permission Members: read")
			continue
		}
		if err != nil {
			return grant{}, err
		}
		if in {
			it.teams = append(it.teams, team)
		}
	}
	return it, nil
}

// teamOf splits the name of a team as the policy file writes it: "sre", or "acme/sre".
func teamOf(home promotion.Repo, team string) (org, slug string) {
	org, slug, named := strings.Cut(team, "/")
	if !named {
		return home.Owner(), team
	}
	if strings.EqualFold(org, home.Owner()) {
		org = home.Owner()
	}
	return org, slug
}

// permissionOf reads GitHub's answer. A role that an organization has made up counts as what it is based on.
func permissionOf(answer gh.Permission) promotion.Permission {
	if p, known := promotion.ParsePermission(answer.Role); known {
		return p
	}
	p, _ := promotion.ParsePermission(answer.Level)
	return p
}

// Entitled looks up who has given the approvals of a pipeline that stand, and returns which of them still have the
// right to (A11, T16).
func (r *Rights) Entitled(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, standing []promotion.Approval, fresh bool,
) (map[int64]bool, error) {
	entitled := map[int64]bool{}
	for _, one := range standing {
		permission, teams, err := r.Of(ctx, row, one.By, fresh)
		if err != nil {
			return nil, err
		}
		entitled[one.ID] = command.Entitles(p.Policy, verbFor[one.Kind], one.Stage, permission, teams)
	}
	return entitled, nil
}

// verbFor is the command that gives an approval.
var verbFor = map[promotion.ApprovalKind]promotion.CommandVerb{
	promotion.SignOff:   promotion.CmdApprove,
	promotion.Admission: promotion.CmdAdmit,
}
