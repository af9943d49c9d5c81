package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"waybill/promotion/command"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"
)

const (
	// rightsLast is how long GitHub is believed: whoever loses a right has lost it here by then.
	rightsLast = 5 * time.Minute
	// rightsKept bounds how many answers are remembered.
	rightsKept = 10_000
)

// rights asks GitHub what people may do on a pipeline's home repository, and remembers the answers for a while, by the
// numeric ids of both: a login may belong to somebody else tomorrow (T14). What GitHub did not say is never remembered.
type rights struct {
	hub    *gh.Hub
	clock  func() time.Time
	policy func(store.PipelineRow) (*promotion.Pipeline, error)
	known  *lru.Cache[right, had]
	// changes counts how often everything was forgotten, so that an answer which was on its way meanwhile is not kept.
	changes atomic.Int64
}

type right struct{ pipeline, person int64 }

// had is what somebody had at some time.
type had struct {
	permission promotion.Permission
	teams      []string
	at         time.Time
}

func newRights(hub *gh.Hub, clock func() time.Time, policy func(store.PipelineRow) (*promotion.Pipeline, error)) *rights {
	known, err := lru.New[right, had](rightsKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &rights{hub: hub, clock: clock, policy: policy, known: known}
}

// Of returns what somebody may do on a pipeline's home repository, and which of the teams that its policy names they
// are in. A fresh answer is GitHub's own of this moment. An error is no permission.
func (r *rights) Of(ctx context.Context, row store.PipelineRow, who promotion.Actor, fresh bool) (promotion.Permission, []string, error) {
	key, now, changes := right{row.ID, who.ID}, r.clock(), r.changes.Load()
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

// Who returns to whom a login belongs now; nobody if GitHub knows of none.
func (r *rights) Who(ctx context.Context, row store.PipelineRow, login promotion.Login) (promotion.Actor, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return promotion.Actor{}, err
	}
	answer, err := home.Permission(ctx, login)
	return answer.Actor, err
}

// Forget forgets everything, because GitHub says that people, teams or what they may do have changed.
func (r *rights) Forget() {
	r.changes.Add(1)
	r.known.Purge()
}

// ask asks GitHub. Somebody who is not who the login belongs to now is looked up by their id.
func (r *rights) ask(ctx context.Context, row store.PipelineRow, who promotion.Actor, teams []string) (had, error) {
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return had{}, err
	}
	answer, err := home.Permission(ctx, who.Login)
	if err == nil && answer.Actor.ID != who.ID {
		if who.Login, err = home.Called(ctx, who.ID); err != nil || who.Login == "" {
			return had{}, err
		}
		answer, err = home.Permission(ctx, who.Login)
	}
	if err != nil || answer.Actor.ID != who.ID || who.ID == 0 {
		return had{}, err
	}
	it := had{permission: permissionOf(answer)}
	for _, team := range teams {
		org, slug := teamOf(row.Repo, team)
		if org != owner(row.Repo) {
			continue // another organization's installation would have to be asked: who is in there does not count here
		}
		in, err := r.hub.InTeam(ctx, row.Installation, org, slug, who.Login)
		if errors.Is(err, gh.ErrRefused) { // the App may not read members: nobody is known to be in the team
			zerolog.Ctx(ctx).Warn().Err(err).Str("team", team).Msg("team not read; the App needs the permission Members: read")
			continue
		}
		if err != nil {
			return had{}, err
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
		return owner(home), team
	}
	if strings.EqualFold(org, owner(home)) {
		org = owner(home)
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

// entitled looks up who has given the approvals of a pipeline that stand, and returns which of them still have the
// right to (A11, T16).
func (r *rights) entitled(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, standing []promotion.Approval, fresh bool) (map[int64]bool, error) {
	entitled := map[int64]bool{}
	for _, one := range standing {
		permission, teams, err := r.Of(ctx, row, one.By, fresh)
		if err != nil {
			return nil, err
		}
		entitled[one.ID] = command.Entitles(p.Policy, gives[one.Kind], one.Stage, permission, teams)
	}
	return entitled, nil
}

// gives is the command that gives an approval.
var gives = map[promotion.ApprovalKind]promotion.CommandVerb{
	promotion.SignOff:   promotion.CmdApprove,
	promotion.Admission: promotion.CmdAdmit,
}

// saveEntitled writes down who still has the right to what they have given.
func saveEntitled(pipeline int64, entitled map[int64]bool) record {
	return func(tx *store.Tx) error {
		for id, still := range entitled {
			if err := tx.Ledger.SaveEntitled(pipeline, id, still); err != nil {
				return err
			}
		}
		return nil
	}
}

// standing looks up who somebody is that asks something of a stage, and who else has given the approvals that stand.
// Where GitHub cannot be asked, whoever asks may do nothing, and is told so (T13).
func (a *App) standing(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, w request, stage promotion.StageName) (promotion.Permission, []string, record, error) {
	fresh := wantsFresh(p, stage)
	permission, teams, err := a.asking(ctx, row, w, fresh)
	var lost record
	if err == nil {
		lost, err = a.lostRights(ctx, row, p, fresh)
	}
	switch {
	case ctx.Err() != nil:
		return promotion.Unasked, nil, nil, ctx.Err()
	case err != nil:
		zerolog.Ctx(ctx).Warn().Err(err).Str(keyRepo, string(row.Repo)).Str("who", string(w.By.Login)).Msg("GitHub cannot be asked who may do that")
		return promotion.Unasked, nil, nil, nil
	}
	return permission, teams, lost, nil
}

// asking is what somebody who asks may do: who is nobody on GitHub may read, where the surface lets them ask at all.
func (a *App) asking(ctx context.Context, row store.PipelineRow, w request, fresh bool) (promotion.Permission, []string, error) {
	if w.Reader {
		return promotion.Read, nil, nil
	}
	return a.rights.Of(ctx, row, w.By, fresh)
}

// lostRights looks up again who has given an approval that stands: one whose giver has lost the right does not count
// (A11).
func (a *App) lostRights(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, fresh bool) (record, error) {
	var standing []promotion.Approval
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		standing, err = tx.Ledger.StandingApprovals(row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	entitled, err := a.rights.entitled(ctx, row, p, standing, fresh)
	return saveEntitled(row.ID, entitled), err
}

// signedStill asks, before a promotion is merged, whether those who have signed it off may still do so (T16). If
// somebody may not any more, that is written down and the merge is put off, until the stage has decided again.
func (a *App) signedStill(ctx context.Context, j *job) error {
	if j.stage.Policy.Approvals == 0 {
		return nil
	}
	var lost record
	var standing []promotion.Approval
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		standing, err = tx.Ledger.StandingApprovals(j.row.ID)
		return err
	})
	if err != nil {
		return err
	}
	standing = slices.DeleteFunc(standing, func(one promotion.Approval) bool {
		return one.Kind != promotion.SignOff || one.Stage != j.stage.Name ||
			one.Freight != j.promotion.Freight.ID || !one.Entitled
	})
	entitled, err := a.rights.entitled(ctx, j.row, j.pipeline, standing, true)
	if err != nil {
		return fmt.Errorf("ask who may sign promotion %d off: %w: %w", j.promotion.Number, gh.ErrTransient, err)
	}
	for _, one := range standing {
		if !entitled[one.ID] {
			lost = saveEntitled(j.row.ID, entitled)
		}
	}
	if lost == nil {
		return nil
	}
	if err := a.store.Update(ctx, lost); err != nil {
		return err
	}
	a.undecided.notify()
	return fmt.Errorf("merge promotion %d: %w: somebody who has signed it off may not any more", j.promotion.Number, gh.ErrTransient)
}

// wantsFresh reports whether who may do something in a stage is asked anew each time: where people sign off, a right
// that was lost a minute ago must not count. A stage that does not exist, or all of them, is as strict as the
// strictest.
func wantsFresh(p *promotion.Pipeline, stage promotion.StageName) bool {
	return slices.ContainsFunc(p.Stages, func(s *promotion.Stage) bool {
		return s.Policy.Approvals > 0 && (s.Name == stage || p.Stage(stage) == nil)
	})
}
