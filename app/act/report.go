package act

import (
	"context"
	"slices"

	"waybill/app/learn"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/decide"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

// maxHistory bounds how many promotions a history lists.
const maxHistory = 10

// reports answers questions by the present state, and says what commands have done. It changes no promotion.
type reports struct{ *Executor }

// report answers a question, or says what a command has done.
func (a reports) report(ctx context.Context, j *job, r promotion.Request) (report say.Report, err error) {
	switch r.Command.Verb {
	case promotion.CmdHelp:
		return say.HelpReport(r.Command.Freight), nil
	case promotion.CmdRefresh:
		return say.Report{Title: "The pipeline is being compared with GitHub."}, nil
	case promotion.CmdPlan:
		return a.planReport(ctx, j, r)
	case promotion.CmdWhere:
		return a.whereReport(ctx, j, r)
	}
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		switch several := r.Command.Stages != ""; r.Command.Verb {
		case promotion.CmdWhy:
			if several {
				report, err = a.whyEach(tx, j, r)
			} else {
				report, err = a.whyReport(tx, j, r)
			}
		case promotion.CmdHistory:
			if several {
				report, err = historyOfAll(tx, j, r)
			} else {
				report, err = historyReport(tx, j)
			}
		case promotion.CmdReject:
			report, err = rejectReport(tx, j, r)
		case promotion.CmdStatus:
			report, err = a.statusReport(tx, j, r)
		default:
			report, err = a.deedReport(tx, j, r)
		}
		return err
	})
	return report, err
}

// rejectReport says what a person's reject means.
func rejectReport(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	_, id, _, err := freightMeant(tx, j, r)
	if err != nil {
		return say.Report{}, err
	}
	all, err := tx.Ledger.Rejects(j.Pipeline)
	for _, bad := range slices.Backward(all) {
		if bad.By.Is(r.By) && bad.Stage == r.Command.Stage && bad.Freight.ID == id {
			return say.RejectReport(bad, j.pipeline), err
		}
	}
	return say.Report{Title: "It has been taken back since."}, err
}

func historyReport(tx *store.Tx, j *job) (say.Report, error) {
	all, err := tx.Promotions.Latest(store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}, 0, maxHistory)
	return say.HistoryReport(j.Stage, j.stage, all), err
}

// statusReport lists the freight of every stage, or of those that are named.
func (a reports) statusReport(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	report := say.Report{Title: string(j.pipeline.Home), Head: say.StagesHead, Folds: r.Command.Stages != ""}
	for _, stage := range askedAbout(j, r, &report) {
		s, err := tx.Ledger.Snapshot(j.pipeline, store.StageKey{Pipeline: j.Pipeline, Stage: stage.Name})
		if err != nil {
			return report, err
		}
		is := decide.Explain(s, tx.Now)
		if is.Demands, err = a.Demands(tx, j.pipeline, stage); err != nil {
			return report, err
		}
		report.Rows = append(report.Rows, say.StageRow(is))
	}
	report.Notes = append(report.Notes, say.AllUngranted(a.Grants.Of(j.Pipeline))...)
	return report, nil
}

// freightMeant returns the snapshot of the stage that a question is about, and the freight that it means; or the reason
// why it means none.
func freightMeant(
	tx *store.Tx, j *job, r promotion.Request,
) (*promotion.Snapshot, promotion.FreightID, promotion.Reason,
	error) {
	about, err := tx.Requests.FreightMeant(j.Pipeline, r)
	if err != nil {
		return nil, "", promotion.Reason{}, err
	}
	s, err := tx.Ledger.Snapshot(j.pipeline, store.StageKey{Pipeline: j.Pipeline, Stage: j.Stage}, about...)
	if err != nil {
		return nil, "", promotion.Reason{}, err
	}
	i, why := command.FreightMeant(s, r, gate.KeeperOf(s, tx.Now).Available)
	if i < 0 {
		return s, "", why, nil
	}
	return s, s.Freight[i].ID, why, nil
}

// whyReport says why a freight is where it is in a stage: the freight that is meant, else the newest. If the stage has
// none yet, it reports the stage.
func (a reports) whyReport(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	s, f, why, err := freightMeant(tx, j, r)
	switch {
	case err != nil:
		return say.Report{}, err
	case why.IsZero():
		return a.reportOn(tx, j, s, f)
	case r.Command.Freight != "", r.Pull != 0:
		return say.Report{Title: say.Sentence(why)}, nil
	}
	if i := command.NewestFreight(s); i >= 0 {
		return a.reportOn(tx, j, s, s.Freight[i].ID)
	}
	return a.statusReport(tx, j, r)
}

// reportOn says why a freight is where it is in the stage of a snapshot, and which promotions go into the branch first.
func (a reports) reportOn(tx *store.Tx, j *job, s *promotion.Snapshot, f promotion.FreightID) (say.Report, error) {
	at, is := decide.Why(s, f, tx.Now), decide.Explain(s, tx.Now)
	var err error
	if is.Demands, err = a.Demands(tx, j.pipeline, j.stage); err != nil {
		return say.Report{}, err
	}
	report := say.WhyReport(at, is)
	if at.Promotion != nil && at.Promotion.State.Ended() {
		return report, nil
	}
	report.Notes = append(report.Notes, say.AllUngranted(a.Grants.Of(j.Pipeline))...)
	if at.Promotion == nil {
		return report, nil
	}
	ahead, err := tx.Turns.Ahead(j.Pipeline, at.Promotion.Number)
	if a := s.Attempt(at.Promotion.Number); a.After.Number != 0 {
		same := func(w promotion.Wait) bool { return w.Stage == a.After.Stage && w.Number == a.After.Number }
		ahead = append([]promotion.Wait{a.After}, slices.DeleteFunc(ahead, same)...)
	}
	if len(ahead) > 0 {
		report.Notes = append(report.Notes, say.InLine(j.pipeline.FilesOfStep(j.stage, at.Promotion), ahead))
	}
	if err != nil {
		return report, err
	}
	delay, err := tx.Outbox.Delayed(j.Pipeline, at.Promotion.Number)
	if words := say.Delayed(delay, tx.Now); words != "" {
		report.Notes = append(report.Notes, words)
	}
	return report, err
}

// planReport reads the stage's files and says how a promotion would change them.
func (a reports) planReport(ctx context.Context, j *job, r promotion.Request) (say.Report, error) {
	var s *promotion.Snapshot
	var id promotion.FreightID
	var why promotion.Reason
	var f promotion.Freight
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		if s, id, why, err = freightMeant(tx, j, r); err == nil && why.IsZero() {
			f, err = tx.Freight.ByID(j.Pipeline, id)
		}
		return err
	})
	if err != nil || !why.IsZero() {
		return say.Report{Title: say.Sentence(why)}, err
	}
	if j.stage == nil {
		return say.Report{Title: say.Sentence(promotion.Because(promotion.Removed, string(j.Stage)))}, nil
	}
	plan, was, err := a.wholePlan(ctx, j, f)
	if err != nil {
		return say.Report{}, err
	}
	err = a.Store.View(ctx, func(tx *store.Tx) error { return a.annotate(tx, j, j.stage, f, was, &plan) })
	if err != nil {
		return say.Report{}, err
	}
	if err := a.refreshReadiness(ctx, j, s); err != nil {
		return say.Report{}, err
	}
	if err := a.learn.Rules.Refresh(ctx, j.pipeline.BranchesOf(j.stage), learn.RulesLast); err != nil {
		return say.Report{}, err
	}
	now := a.Clock()
	is := decide.Explain(s, now)
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		is.Demands, err = a.Demands(tx, j.pipeline, j.stage)
		return err
	})
	return say.PlanReport(decide.Why(s, f.ID, now), is, was, plan), err
}

// wholePlan computes the changes that promoting a freight would make to all branches of the stage, and the present
// values of the files.
func (a reports) wholePlan(
	ctx context.Context, j *job, f promotion.Freight,
) (plan promotion.Plan, was []promotion.Value,
	err error) {
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		there, stage := *j, j.pipeline.On(j.stage, on)
		there.files = on
		if there.client, err = a.Client(on.Repo); err != nil {
			return plan, nil, err
		}
		base, err := there.client.Files.Read(ctx, on.Name, pathsOf(stage))
		if err != nil {
			return plan, nil, err
		}
		part, _, err := a.work(ctx, &there, stage, f, base)
		if err != nil {
			return plan, nil, err
		}
		plan, was = plan.And(part), append(was, learn.Values(stage, base)...)
	}
	return plan, was, nil
}
