package learn

import (
	"context"
	"errors"
	"slices"

	"github.com/rs/zerolog"

	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// Ask records the commands of all surfaces. For each it finds the pipeline, and the person's rights on its home
// repository, wherever the command was given (semantics 4.6). The named stage decides later, with the rights of that
// time. Ask returns nil if no pipeline is meant.
func (q *Requests) Ask(ctx context.Context, w surface.Request) (work.Record, error) {
	var all []work.Record
	for _, c := range w.Commands {
		rec, err := q.askOne(ctx, w, c)
		if err != nil {
			return nil, err
		}
		if rec != nil {
			all = append(all, rec)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return work.InOrder(all), nil
}

func (q *Requests) askOne(ctx context.Context, w surface.Request, c promotion.Command) (work.Record, error) {
	act := w.ActOf(c)
	row, p, c := q.Pipelines.ForCommand(w.Pipeline, w.Repo, c)
	if p == nil || len(p.Stages) == 0 {
		return nil, nil
	}
	c, err := q.ofPromotion(ctx, row, p, c)
	if err != nil {
		return nil, err
	}
	_, one := command.Address(p, c)
	permission, teams, err := q.rightsOf(ctx, row, p, w, one.Stage)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && foundAgain(w, c) && passes(err):
		return q.askLater(row, w, err)
	}
	asked := promotion.Request{
		By: w.By, At: w.At, Heard: w.Heard, Permission: permission, Teams: teams, Surface: w.Surface,
		PullRepo: w.PullRepo, Pull: w.Pull, Unmerged: w.Unmerged, Typed: w.Typed, Late: w.Late(q.Clock()),
	}
	var all []promotion.Request
	var hands []work.Record
	for _, c := range command.Each(p, c, permission, teams) {
		var stage promotion.StageName
		stage, asked.Command = command.Address(p, c)
		all = append(all, asked)
		if !wantsHands(p, stage, asked) {
			continue
		}
		known, err := q.handsBehind(ctx, row, p, stage, asked)
		if err != nil {
			return nil, err
		}
		hands = append(hands, known)
	}
	return work.InOrder(append(hands, func(tx *store.Tx) error {
		if left, err := leftToResync(tx, row.ID, w, all[0]); err != nil || left {
			return err
		}
		for i := range all {
			if err := overtaken(tx, &all[i]); err != nil {
				return err
			}
		}
		if w.Act != "" {
			if fresh, err := tx.Requests.Give(act); err != nil || !fresh {
				return err
			}
		}
		_, err := tx.Requests.RecordAll(row.ID, all)
		if err == nil && c.Verb == promotion.CmdRefresh && command.Entitles(p.Policy, c.Verb, "", permission, teams) {
			err = tx.Clocks.AskResync(row.ID)
		}
		return err
	})), nil
}

// overtaken has a sign-off refused as too late that the person has taken back since: GitHub tells of reviews in any
// order.
func overtaken(tx *store.Tx, r *promotion.Request) error {
	if r.Command.Verb != promotion.CmdApprove || r.Command.Withdraw || r.Pull == 0 || r.Late {
		return nil
	}
	since, err := tx.Requests.TakenBackSince(*r)
	r.Late = since
	return err
}

// wantsHands reports whether it must be known who has made the freight that a request to a stage is about. A person who
// may not give the command anyway has GitHub asked for nothing.
func wantsHands(p *promotion.Pipeline, stage promotion.StageName, r promotion.Request) bool {
	return command.LeavesOutAuthor(p, r.Command) &&
		command.Entitles(p.Policy, r.Command.Verb, stage, r.Permission, r.Teams)
}

// ofPromotion gives a command that names a promotion in place of a stage the stage of that promotion.
func (q *Requests) ofPromotion(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, c promotion.Command,
) (promotion.Command, error) {
	n, is := command.PromotionInPlace(p, c)
	if !is {
		return c, nil
	}
	var named promotion.Promotion
	err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
		named, err = tx.Promotions.ByNumber(row.ID, n)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && p.Stage(named.Stage) == nil {
		return c, nil // the refusal says that there is no such thing
	}
	return command.OfPromotion(c, n, named.Stage), err
}

// leftToResync reports whether a command comes too late by a webhook, and a resync that is due anyway asks GitHub for
// it (semantics 6.8): a hold in a comment, or the end of one.
func leftToResync(tx *store.Tx, pipeline int64, w surface.Request, r promotion.Request) (bool, error) {
	if !r.Late || !foundAgain(w, r.Command) {
		return false, nil
	}
	row, err := tx.Pipelines.ByID(pipeline)
	return !row.Stale.IsZero(), err
}

// rightsOf returns the permission and teams of a person who gives a command to a stage. A person without a known
// account on GitHub may read, where the surface allows questions. If GitHub cannot be asked, the person has no rights
// and the answer says so (T13); the error is why.
func (q *Requests) rightsOf(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, w surface.Request, stage promotion.StageName,
) (promotion.Permission, []string, error) {
	if w.Reader {
		return promotion.Read, nil, nil
	}
	permission, teams, err := q.Rights.Of(ctx, row, w.By, wantsFresh(p, stage))
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Str(work.KeyRepo, string(row.Repo)).Str("who",
			string(w.By.Login)).Msg("GitHub cannot be asked who may do that")
		return promotion.Unasked, nil, err
	}
	return permission, teams, nil
}

// LostRights asks GitHub again for the rights of the people who have given the standing approvals, and of those who
// have asked for promotions that still have something to do. An approval does not count if its giver has lost the right
// (A11), and a promotion waits for somebody else if who asked for it has.
func (q *Requests) LostRights(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline,
) (work.Record, error) {
	var standing []promotion.Approval
	var open []promotion.Promotion
	err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
		if standing, err = tx.Ledger.StandingApprovals(row.ID); err != nil {
			return err
		}
		open, err = tx.Promotions.Active(row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	asked := slices.DeleteFunc(open, func(p promotion.Promotion) bool {
		return p.By.Bot() || p.State == promotion.Verifying && !p.Rolls()
	})
	still, err := q.Rights.Still(ctx, row, p, standing, asked)
	return SaveStill(row.ID, still.Entitled, still.Askers), err
}

// wantsFresh reports whether the rights in a stage are asked anew each time: where people sign off, a right that was
// lost a minute ago must not count. For an unknown stage, or all of them, the strictest stage decides.
func wantsFresh(p *promotion.Pipeline, stage promotion.StageName) bool {
	return slices.ContainsFunc(p.Stages, func(s *promotion.Stage) bool {
		return s.SignsOff() && (s.Name == stage || p.Stage(stage) == nil)
	})
}

// SaveStill returns how to record which approvals still count, and which promotions are still those of who asked for
// them.
func SaveStill(
	pipeline int64, entitled map[int64]bool, askers map[promotion.Number]promotion.Asker,
) work.Record {
	return func(tx *store.Tx) error {
		for id, still := range entitled {
			if err := tx.Ledger.SaveEntitled(pipeline, id, still); err != nil {
				return err
			}
		}
		for n, asker := range askers {
			if err := tx.Attempts.SaveAsker(pipeline, n, asker); err != nil {
				return err
			}
		}
		return nil
	}
}
