package act

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"waybill/app/gh"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// open makes a promotion's commit and its pull request, or moves the branch of the open pull request to a commit on a
// newer base. It makes the commit as objects first and stores its SHA; only then does it make the commit visible. After
// a crash it finds and adopts these objects under the promotion's own names.
func (a *Executor) open(ctx context.Context, j *job) (work.Record, error) {
	if j.attempt.Pull != 0 && j.attempt.Made.Round == int(j.Round) { // GitHub has told of it before its answer came
		return func(tx *store.Tx) error { return j.wantAttention(tx, j.attempt.Pull) }, nil
	}
	head, err := a.commit(ctx, j)
	if err != nil {
		return nil, err
	}
	branch := j.branch()
	if j.attempt.Pull != 0 {
		if err := j.client.Branches.Move(ctx, branch, j.attempt.Made.Head, head); err != nil {
			return nil, err
		}
		pull, err := j.client.Pulls.RereadPushed(ctx, j.attempt.Pull, j.attempt.Made.Head) // no webhook may tell of it
		if err != nil {
			return nil, err
		}
		return func(tx *store.Tx) error {
			err := tx.Attempts.SaveRebuilt(j.Pipeline, j.promotion.Number, int(j.Round), head)
			if err == nil {
				_, err = tx.Pulls.Record(pull)
			}
			return err
		}, nil
	}
	body := j.body()
	opened, err := j.client.Pulls.Open(ctx, gh.OpenRequest{
		Branch: branch, Head: head, Base: j.files.Name, Fresh: j.Attempts == 1,
		Title: say.PullTitle(&j.promotion), Body: body.Body, Marker: body.Marker,
	})
	if err != nil {
		return nil, err
	}
	pull := promotion.Pull{
		Repo: j.files.Repo, Number: opened.Pull, Head: branch, HeadSHA: head, Base: j.files.Name, State: opened.State,
		URL: opened.URL, Updated: opened.Updated,
	}
	if opened.State != promotion.PullOpen { // a person has closed or merged it already
		if pull, err = j.client.Pulls.Reread(ctx, opened.Pull); err != nil {
			return nil, err
		}
	}
	return func(tx *store.Tx) error {
		if err := tx.Attempts.SaveOpened(j.Pipeline, j.promotion.Number, int(j.Round), pull); err != nil {
			return err
		}
		if err := j.wantAttention(tx, opened.Pull); err != nil || opened.Adopted {
			return err
		}
		body.Number = opened.Pull
		return views.NoteBody(tx, j.stageKey(), j.promotion.Number, body, opened.Node)
	}, nil
}

// wantAttention writes down what is put on the promotion's pull request.
func (j *job) wantAttention(tx *store.Tx, pull int) error {
	if j.stage == nil {
		return nil
	}
	return views.WantAttention(tx, j.stageKey(), j.promotion.Number, j.files.Repo, pull, j.stage.Attention)
}

func (j *job) stageKey() store.StageKey {
	return store.StageKey{Pipeline: j.Pipeline, Stage: j.promotion.Stage}
}

// body is the text that the promotion's pull request is opened with.
func (j *job) body() views.BodyView {
	at := promotion.FreightStatus{
		Name: j.freight.Name, Promotion: &j.promotion, Stage: j.stage, Place: promotion.PlaceOpen, Notes: j.attempt.Notes(),
	}
	return views.BodyOf(j.pipeline, j.files.Repo, 0, at, j.freight, j.attempt.Paths())
}

// commit makes the commit of the current plan, or returns the one that was made before a crash.
func (a *Executor) commit(ctx context.Context, j *job) (promotion.SHA, error) {
	b, made, err := a.blueprint(ctx, j)
	if err != nil || made != "" {
		return made, err
	}
	commit, err := j.client.Commits.Make(ctx, b.Base, b.writes(), j.commitMessage())
	if err != nil {
		return "", err
	}
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Plans.SaveCommit(j.Pipeline, j.promotion.Number, j.Step, int(j.Round), j.branch(), b.Base.SHA,
			commit.SHA)
	})
	return commit.SHA, err
}

// blueprint returns the files that the newest plan writes and their base, and its commit if that has been made.
func (a *Executor) blueprint(ctx context.Context, j *job) (b blueprint, made promotion.SHA, err error) {
	var work []byte
	err = a.Store.ViewOne(ctx, func(tx *store.Tx) error {
		work, made, err = tx.Plans.Prepared(j.Pipeline, j.promotion.Number, j.attempt.Plan.Round)
		return err
	})
	if err != nil {
		return blueprint{}, "", err
	}
	if err := json.Unmarshal(work, &b); err != nil {
		return blueprint{}, "", fmt.Errorf("read the plan of %d: %w", j.promotion.Number, err)
	}
	return b, made, nil
}

// commitMessage is the message of the commits that the promotion makes.
func (j *job) commitMessage() string {
	return say.CommitMessage(&j.promotion, j.pipeline.Trailer(j.files.Repo, j.promotion.Number))
}

// branch is the name of the branch of the promotion, or of its present step.
func (j *job) branch() string {
	p := &j.promotion
	prefix := j.pipeline.Prefix(j.files.Repo)
	branch := fmt.Sprintf("%s%s/%s/%d", prefix, slug(string(p.Stage)), slug(p.Freight.Name), p.Number)
	if p.Rolls() {
		branch += fmt.Sprintf("-%s-%d", slug(p.Rollout.BatchName()), p.Rollout.Step)
	}
	return branch
}

// slug makes a name fit for a branch: letters, digits, dots and dashes, at most 60 of them. Git takes no two dots in a
// row, and no .lock at the end.
func slug(s string) string {
	fit := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, s)
	fit = fit[:min(60, len(fit))]
	for strings.Contains(fit, "..") {
		fit = strings.ReplaceAll(fit, "..", ".")
	}
	fit = strings.Trim(fit, ".-")
	if name, locks := strings.CutSuffix(fit, ".lock"); locks {
		return name + "-lock"
	}
	return fit
}
