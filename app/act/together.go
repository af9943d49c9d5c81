package act

import (
	"cmp"
	"context"
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

// together answers a command that was given to several stages, with the answer of each.
func (a reports) together(ctx context.Context, j *job, r promotion.Request) (report say.Report, err error) {
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Requests.Together(j.Pipeline, r.Together)
		if err != nil {
			return err
		}
		var parts []say.Part
		for _, one := range all {
			of, err := alone(tx, j, one)
			if err != nil {
				return err
			}
			part, err := a.part(tx, of, one)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
		report = say.TogetherReport(r, parts)
		return nil
	})
	return report, err
}

// alone is the job of answering one of several stages, as if it alone had been asked.
func alone(tx *store.Tx, j *job, one store.Answered) (*job, error) {
	of := *j
	of.Stage, of.Request, of.Promotion = one.Command.Stage, one.ID, one.About
	of.Outcome, of.Reason, of.stage = string(one.Outcome), one.Reason, j.pipeline.Stage(one.Command.Stage)
	var err error
	if one.About != 0 {
		of.promotion, of.attempt, of.freight, err = tx.Attempts.WithFreight(j.Pipeline, one.About)
	}
	return &of, err
}

// part is the answer of one of several stages.
func (a reports) part(tx *store.Tx, j *job, one store.Answered) (p say.Part, err error) {
	p = say.Part{Stage: j.Stage, Outcome: one.Outcome}
	if one.Outcome != promotion.Done {
		p.Refusal = say.RefusalOf(one.Request, j.Outcome, j.Reason, j.pipeline.Policy, j.Stage)
		return p, nil
	}
	p.Said, err = a.deedReport(tx, j, one.Request)
	return p, err
}

// askedAbout returns the stages that a question is about. Of several it leaves out those that the person may not ask
// about, which the report says.
func askedAbout(j *job, r promotion.Request, report *say.Report) []*promotion.Stage {
	all := command.About(j.pipeline, r.Command)
	if r.Command.Stages == "" {
		return all
	}
	var hidden []promotion.StageName
	all = slices.DeleteFunc(slices.Clone(all), func(s *promotion.Stage) bool {
		may := command.Entitles(j.pipeline.Policy, r.Command.Verb, s.Name, r.Permission, r.Teams)
		if !may {
			hidden = append(hidden, s.Name)
		}
		return !may
	})
	report.Hidden(hidden)
	return all
}

// whyEach says in a line for each of several stages why the freight that is meant is where it is.
func (a reports) whyEach(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	report := say.Report{Title: r.Command.Stages, Head: []string{"Stage", "Answer"}, Folds: true}
	for _, stage := range askedAbout(j, r, &report) {
		of, one := *j, r
		of.Stage, of.stage, one.Command.Stage, one.Command.Stages = stage.Name, stage, stage.Name, ""
		why, err := a.whyReport(tx, &of, one)
		if err != nil {
			return report, err
		}
		if len(why.Rows) > 0 { // it has no freight: the report is that of the stage
			why.Title = "Nothing has come yet"
		}
		report.Rows = append(report.Rows, []string{string(stage.Name), why.Title})
	}
	return report, nil
}

// historyOfAll lists the latest promotions of several stages together.
func historyOfAll(tx *store.Tx, j *job, r promotion.Request) (say.Report, error) {
	var report say.Report
	var all []promotion.Promotion
	for _, stage := range askedAbout(j, r, &report) {
		of, err := tx.Promotions.Latest(store.StageKey{Pipeline: j.Pipeline, Stage: stage.Name}, 0, maxHistory)
		if err != nil {
			return report, err
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b promotion.Promotion) int { return cmp.Compare(b.Number, a.Number) })
	said := say.HistoryOfAll(r.Command.Stages, j.pipeline, all[:min(len(all), maxHistory)])
	said.Notes = append(said.Notes, report.Notes...)
	return said, nil
}
