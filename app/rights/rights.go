package rights

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	// rightsLast is how long an answer of GitHub is kept: a person who loses a right has lost it here by then.
	rightsLast = 5 * time.Minute
	// rightsKept bounds how many answers are kept.
	rightsKept = 10_000
)

// Rights asks GitHub for people's permissions and teams on a pipeline's home repository, and keeps the answers for a
// while, by the numeric ids of both: a login may belong to another person tomorrow (T14). A failed request is never
// kept.
type Rights struct {
	hub    *gh.Hub
	clock  func() time.Time
	policy func(store.PipelineRow) (*promotion.Pipeline, error)
	known  *lru.Cache[key, grant]
	public *lru.Cache[int64, visibility] // by pipeline
	teams  *lru.Cache[key, []string]     // in which GitHub said last that a person was: these are asked about first
	// changes counts how often all answers were dropped, so that an answer to an earlier request is not kept.
	changes atomic.Int64
}

type key struct{ pipeline, person int64 }

// grant is a person's permission and teams, as GitHub answered at a time.
type grant struct {
	permission promotion.Permission
	teams      []string
	at         time.Time
}

// New returns a Rights. policy returns the compiled pipeline of a row, whose policy names the teams.
func New(hub *gh.Hub, clock func() time.Time, policy func(store.PipelineRow) (*promotion.Pipeline, error)) *Rights {
	known, err := lru.New[key, grant](rightsKept)
	public, failed := lru.New[int64, visibility](rightsKept)
	teams, wrong := lru.New[key, []string](rightsKept)
	if err := errors.Join(err, failed, wrong); err != nil {
		panic(err) // the size is a constant
	}
	return &Rights{hub: hub, clock: clock, policy: policy, known: known, public: public, teams: teams}
}

// Of returns a person's permission on a pipeline's home repository, and those teams of its policy that the person is
// in. With fresh, GitHub is asked now. With an error there is no permission.
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
	it, err := r.ask(ctx, row, who, each(p.Policy.Teams()))
	if err != nil {
		return promotion.NoPermission, nil, err
	}
	it.at = now
	if r.known.Add(key, it); r.changes.Load() != changes {
		r.known.Remove(key)
	}
	return it.permission, it.teams, nil
}

// each has every team be asked about.
func each(teams []string) (rules [][]string) {
	for _, team := range teams {
		rules = append(rules, []string{team})
	}
	return rules
}

// Known returns a person's permission as GitHub answered a short while ago; none if that is not known.
func (r *Rights) Known(row store.PipelineRow, who promotion.Actor) promotion.Permission {
	if it, known := r.known.Get(key{row.ID, who.ID}); known && r.clock().Sub(it.at) < rightsLast {
		return it.permission
	}
	return promotion.NoPermission
}

// ActorOf returns the account to which a login belongs now; the zero value if GitHub knows none.
func (r *Rights) ActorOf(ctx context.Context, row store.PipelineRow, login promotion.Login) (promotion.Actor, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return promotion.Actor{}, err
	}
	answer, err := home.People.Permission(ctx, login)
	return answer.Actor, err
}

// Forget drops all answers, because GitHub says that people, teams or permissions have changed.
func (r *Rights) Forget() {
	r.changes.Add(1)
	r.known.Purge()
}

// ask asks GitHub for a person's permission, and for the teams of some rules: of each rule until the person is in one
// of them, those first in which they were last.
func (r *Rights) ask(
	ctx context.Context, row store.PipelineRow, who promotion.Actor, rules [][]string,
) (grant, error) {
	it, login, err := r.permission(ctx, row, who)
	if err != nil || login == "" {
		return it, err
	}
	seen := key{row.ID, who.ID}
	last, _ := r.teams.Get(seen)
	asked := map[string]bool{}
	for _, teams := range rules {
		if slices.ContainsFunc(teams, func(team string) bool { return slices.Contains(it.teams, team) }) {
			continue
		}
		for _, team := range foremost(teams, last) {
			if asked[team] {
				continue
			}
			asked[team] = true
			in, err := r.isIn(ctx, row, team, login)
			if err != nil {
				return grant{}, err
			}
			if in {
				it.teams = append(it.teams, team)
				break
			}
		}
	}
	r.teams.Add(seen, it.teams)
	return it, nil
}

// foremost returns the teams, those first that are in another list.
func foremost(teams, first []string) []string {
	return slices.SortedStableFunc(slices.Values(teams), func(a, b string) int {
		return cmp.Compare(slices.Index(first, b), slices.Index(first, a))
	})
}

// permission asks GitHub for a person's permission. If the login belongs to another account now, the person is looked
// up by id.
func (r *Rights) permission(
	ctx context.Context, row store.PipelineRow, who promotion.Actor,
) (grant, promotion.Login, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return grant{}, "", err
	}
	answer, err := home.People.Permission(ctx, who.Login)
	if err == nil && answer.Actor.ID != who.ID {
		if who.Login, err = home.People.Called(ctx, who.ID); err != nil || who.Login == "" {
			return grant{}, "", err
		}
		answer, err = home.People.Permission(ctx, who.Login)
	}
	if err != nil || answer.Actor.ID != who.ID || who.ID == 0 {
		return grant{}, "", err
	}
	return grant{permission: permissionOf(answer)}, who.Login, nil
}

// isIn asks GitHub whether a person is in a team. Of another organization only its own installation could answer, so
// its teams do not count here.
func (r *Rights) isIn(ctx context.Context, row store.PipelineRow, team string, login promotion.Login) (bool, error) {
	org, slug := teamOf(row.Repo, team)
	if org != row.Repo.Owner() {
		return false, nil
	}
	in, err := r.hub.InTeam(ctx, row.Installation, org, slug, login)
	if errors.Is(err, gh.ErrRefused) { // the App may not read members, so none is known to be in the team
		line := zerolog.Ctx(ctx).Warn()
		if errors.Is(err, gh.ErrLacking) { // the log has told of that once
			line = zerolog.Ctx(ctx).Debug()
		}
		line.Err(err).Str("team", team).Msg("team not read; the App needs the permission Members: read")
		return false, nil
	}
	return in, err
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

// permissionOf reads GitHub's answer. A custom role of an organization counts as its base role.
func permissionOf(answer gh.Permission) promotion.Permission {
	if p, known := promotion.ParsePermission(answer.Role); known {
		return p
	}
	p, _ := promotion.ParsePermission(answer.Level)
	return p
}

// Still says who still has the right to what they have given or asked for.
type Still struct {
	Entitled map[int64]bool                       // whether approvals, by their ids, are covered by their givers' rights
	Askers   map[promotion.Number]promotion.Asker // of the promotions that people have asked for
}

// Lost reports whether somebody has lost a right.
func (s Still) Lost() bool {
	for _, still := range s.Entitled {
		if !still {
			return true
		}
	}
	for _, asker := range s.Askers {
		if !asker.Lost.IsZero() {
			return true
		}
	}
	return false
}

// Still asks GitHub for the rights of the people who have given some approvals (A11, T16), and those who have asked for
// some promotions, each once, and for no other teams than these rights depend on.
func (r *Rights) Still(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, given []promotion.Approval,
	asked []promotion.Promotion,
) (Still, error) {
	still := Still{Entitled: map[int64]bool{}, Askers: map[promotion.Number]promotion.Asker{}}
	rules, known := dependsOn(p.Policy, given, asked), map[int64]grant{}
	of := func(who promotion.Actor) (it grant, err error) {
		if it, is := known[who.ID]; is {
			return it, nil
		}
		it, err = r.ask(ctx, row, who, rules[who.ID])
		known[who.ID] = it
		return it, err
	}
	for _, one := range given {
		it, err := of(one.By)
		if err != nil {
			return Still{}, err
		}
		still.Entitled[one.ID] = command.Entitles(p.Policy, verbFor[one.Kind], one.Stage, it.permission, it.teams)
	}
	for i := range asked {
		it, err := of(asked[i].By)
		if err != nil {
			return Still{}, err
		}
		lost := command.MayNotAsk(p.Policy, &asked[i], it.permission, it.teams)
		still.Askers[asked[i].Number] = promotion.Asker{Person: asked[i].By.ID, Lost: lost}
	}
	return still, nil
}

// dependsOn returns the teams of the rules by which people have given approvals and asked for promotions, by the
// person.
func dependsOn(p promotion.Policy, given []promotion.Approval, asked []promotion.Promotion) map[int64][][]string {
	rules := map[int64][][]string{}
	for _, one := range given {
		rules[one.By.ID] = append(rules[one.By.ID], command.TeamsFor(p, verbFor[one.Kind], one.Stage))
	}
	for i := range asked {
		one := &asked[i]
		rules[one.By.ID] = append(rules[one.By.ID], command.TeamsFor(p, command.AsksFor(one), one.Stage))
		if one.Cause != 0 {
			rules[one.By.ID] = append(rules[one.By.ID], command.TeamsFor(p, promotion.CmdRetry, one.Stage))
		}
	}
	return rules
}

// verbFor has the command that gives each kind of approval.
var verbFor = map[promotion.ApprovalKind]promotion.CommandVerb{
	promotion.SignOff:   promotion.CmdApprove,
	promotion.Admission: promotion.CmdAdmit,
}
