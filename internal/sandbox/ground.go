package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/internal/story/play"
	"waybill/promotion"
	"waybill/store"
)

// ground implements play.Ground on a World, for the length of one happening.
type ground struct {
	*World
	ctx context.Context
}

var _ play.Ground = ground{}

// happen carries out a happening of the story at GitHub, Slack or CI, or as an accident. A person who is named for the
// first time is created first.
func (w *World) happen(ctx context.Context, h story.Happening) error {
	if err := w.meet(h.By); err != nil {
		return err
	}
	return w.script.Do(ground{w, ctx}, h)
}

// meet creates a person who is named for the first time: a member of the organisation with write permission on every
// repository.
func (w *World) meet(login promotion.Login) error {
	if login == "" || w.actors[string(login)] {
		return nil
	}
	w.actors[string(login)] = true
	if err := w.github.CreateUser(string(login), ownerOf(story.Home)); err != nil {
		return err
	}
	for _, repo := range w.github.Repos() {
		if err := w.github.SetPermission(repo, string(login), "write"); err != nil {
			return err
		}
	}
	return nil
}

// PullOf implements play.Pulls.
func (g ground) PullOf(n promotion.Number) (pull story.Pull, branch promotion.Branch, err error) {
	err = g.program.store.View(g.ctx, func(tx *store.Tx) error {
		pipeline, err := g.pipeline(tx)
		if err != nil {
			return err
		}
		a, err := tx.Attempts.Of(pipeline, n)
		pull = story.Pull{Repo: a.Files.Repo, Number: a.Pull}
		branch = promotion.Branch{Repo: a.Files.Repo, Name: a.Branch}
		return err
	})
	if err == nil && pull.Number == 0 {
		err = errors.New("the promotion has no pull request")
	}
	return pull, branch, err
}

// pullOf returns the pull request of a promotion.
func (w *World) pullOf(ctx context.Context, n promotion.Number) (repo string, number int, err error) {
	pull, _, err := ground{w, ctx}.PullOf(n)
	return string(pull.Repo), pull.Number, err
}

// SourceState implements play.Pulls.
func (g ground) SourceState(pull story.Pull) (exists, open bool) {
	p, exists := g.github.Pull(string(pull.Repo), pull.Number)
	return exists, p.State == "open"
}

// OpenSource implements play.Pulls.
func (g ground) OpenSource(pull story.Pull, into, file string, by promotion.Login) error {
	if err := g.branch(promotion.Branch{Repo: pull.Repo, Name: into}); err != nil {
		return err
	}
	_, err := g.github.OpenPull(string(pull.Repo), githubsim.PullSpec{
		Number: pull.Number, Title: fmt.Sprintf("Change %d", pull.Number), Author: string(by),
		Head: fmt.Sprintf("change-%d", pull.Number), Base: into,
		Files: map[string]*string{file: githubsim.Text(fmt.Sprintf("change %d\n", pull.Number))},
	})
	return err
}

// branch creates a branch from the default branch unless it exists.
func (w *World) branch(on promotion.Branch) error {
	if w.github.Head(string(on.Repo), on.Name) != "" {
		return nil
	}
	return w.github.CreateBranch(string(on.Repo), on.Name, "admin", story.Branch)
}

// MergePull implements play.Pulls.
func (g ground) MergePull(pull story.Pull, by promotion.Login) error {
	_, err := g.github.MergePull(string(pull.Repo), pull.Number, string(by), "squash")
	return err
}

// ClosePull implements play.Pulls.
func (g ground) ClosePull(pull story.Pull, by promotion.Login) error {
	return g.github.ClosePull(string(pull.Repo), pull.Number, string(by))
}

// ReopenPull implements play.Pulls.
func (g ground) ReopenPull(pull story.Pull, by promotion.Login) error {
	return g.github.ReopenPull(string(pull.Repo), pull.Number, string(by))
}

// Retarget implements play.Pulls.
func (g ground) Retarget(pull story.Pull, base string, by promotion.Login) error {
	if err := g.branch(promotion.Branch{Repo: pull.Repo, Name: base}); err != nil {
		return err
	}
	return g.github.RetargetPull(string(pull.Repo), pull.Number, string(by), base)
}

// Review implements play.Pulls.
func (g ground) Review(pull story.Pull, verdict string, by promotion.Login) error {
	state := map[string]string{"approve": "APPROVED", "changes": "CHANGES_REQUESTED"}[verdict]
	return g.github.Review(string(pull.Repo), pull.Number, string(by), state, "I have looked at it.")
}

// Comment implements play.Pulls.
func (g ground) Comment(pull story.Pull, by promotion.Login, text string) error {
	_, err := g.github.Comment(string(pull.Repo), pull.Number, string(by), text)
	return err
}

// Label implements play.Pulls.
func (g ground) Label(pull story.Pull, name string, by promotion.Login) error {
	return g.github.AddLabel(string(pull.Repo), pull.Number, string(by), name)
}

// Unlabel implements play.Pulls.
func (g ground) Unlabel(pull story.Pull, name string, by promotion.Login) error {
	return g.github.RemoveLabel(string(pull.Repo), pull.Number, string(by), name)
}

// Head implements play.Branches.
func (g ground) Head(on promotion.Branch) promotion.SHA {
	return promotion.SHA(g.github.Head(string(on.Repo), on.Name))
}

// File implements play.Branches.
func (g ground) File(on promotion.Branch, path string) (text string, exists bool) {
	return g.github.File(string(on.Repo), on.Name, path)
}

// PushFiles implements play.Branches.
func (g ground) PushFiles(on promotion.Branch, by promotion.Login, message string, files map[string]*string) error {
	_, err := g.github.PushFiles(string(on.Repo), on.Name, string(by), message, g.withChannel(files))
	return err
}

// DeleteBranch implements play.Branches.
func (g ground) DeleteBranch(on promotion.Branch, by promotion.Login) error {
	return g.github.DeleteBranch(string(on.Repo), on.Name, string(by))
}

// Release implements play.Branches.
func (g ground) Release(repo promotion.Repo, tag string) error {
	return g.github.PublishRelease(string(repo), "admin", tag, false)
}

// Tag implements play.Branches.
func (g ground) Tag(repo promotion.Repo, tag string) error {
	return g.github.PushTag(string(repo), "admin", tag, story.Branch)
}

// SourceCommit implements play.Signals.
func (g ground) SourceCommit(number int) (promotion.SHA, error) {
	for _, repo := range g.github.Repos() {
		if p, found := g.github.Pull(repo, number); found && p.MergeSHA != "" {
			return promotion.SHA(p.MergeSHA), nil
		}
	}
	return "", fmt.Errorf("pull request #%d has not been merged", number)
}

// PromotionCommit implements play.Signals.
func (g ground) PromotionCommit(n promotion.Number) (sha promotion.SHA, err error) {
	err = g.program.store.View(g.ctx, func(tx *store.Tx) error {
		pipeline, err := g.pipeline(tx)
		if err != nil {
			return err
		}
		p, err := tx.Promotions.ByNumber(pipeline, n)
		sha = p.MergeSHA
		return err
	})
	if err == nil && sha == "" {
		err = errors.New("the promotion has not been merged")
	}
	return sha, err
}

// HostedCommit implements play.Signals.
func (g ground) HostedCommit(stage promotion.StageName, target promotion.TargetName) (sha promotion.SHA, err error) {
	err = g.program.store.View(g.ctx, func(tx *store.Tx) error {
		s, err := g.snapshot(tx, stage, "")
		if err != nil {
			return err
		}
		for _, d := range s.Deployments {
			if !d.Ended() {
				sha = d.Commit
			}
			for _, result := range d.Results {
				if result.Target == target {
					sha = result.Commit
				}
			}
		}
		return nil
	})
	if err == nil && sha == "" {
		err = errors.New("nothing has been merged there")
	}
	return sha, err
}

// Report implements play.Signals.
func (g ground) Report(on promotion.Branch, s play.Signal) error {
	repo := string(on.Repo)
	switch s.Kind {
	case promotion.KindStatus:
		return g.github.CreateStatus(repo, string(s.SHA), "ci-bot", s.Name, s.Result, "")
	case promotion.KindDeployment:
		id, err := g.github.CreateDeployment(repo, string(s.SHA), "ci-bot", s.Name)
		if err != nil {
			return err
		}
		return g.github.CreateDeploymentStatus(repo, id, "ci-bot", s.Result)
	}
	spec := githubsim.CheckSpec{
		Name: s.Name, SHA: string(s.SHA), Suite: cmp.Or(s.Suite, "ci"), Branch: on.Name, App: s.App, Conclusion: s.Result,
	}
	if s.Result == "queued" || s.Result == "in_progress" {
		spec.Status, spec.Conclusion = s.Result, ""
	}
	_, err := g.github.CreateCheckRun(repo, spec)
	return err
}

// FinishRun implements play.Signals.
func (g ground) FinishRun(stage promotion.StageName, result string) error {
	for _, run := range slices.Backward(g.github.DispatchedRuns(string(story.Home))) {
		if _, _, of := promotion.RunOf(run.Title); of != stage {
			continue
		}
		if result == "in_progress" {
			return g.github.ContinueWorkflow(string(story.Home), run.ID)
		}
		return g.github.FinishWorkflow(string(story.Home), run.ID, result)
	}
	return fmt.Errorf("no workflow has been started for %s", stage)
}

// SetEnvironment implements play.Signals.
func (g ground) SetEnvironment(repo promotion.Repo, name string, exists bool) error {
	return g.github.SetEnvironment(string(repo), name, exists)
}

// PushImage implements play.Signals.
func (g ground) PushImage(i promotion.Image) error {
	_, name, _ := strings.Cut(strings.TrimPrefix(i.Image, promotion.Registry), "/")
	return g.github.PushImage(string(story.Home), "ci-bot", githubsim.ImageSpec{
		Name: name, Tags: []string{"main", i.Tag}, Digest: i.Digest,
	})
}

// ReportFreight implements play.Signals.
func (g ground) ReportFreight(warehouse *promotion.Warehouse, version string) error {
	var row store.PipelineRow
	err := g.program.store.View(g.ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Pipelines.ByRepo(story.Home)
		return err
	})
	if err != nil {
		return err
	}
	made := promotion.Build{Version: version, Commit: promotion.SHA(g.github.Head(string(warehouse.Repo), story.Branch))}
	_, _, err = g.program.ReportFreight(g.ctx, row, warehouse, made, store.Event{
		Pipeline: row.ID, Kind: store.EventCommand, Word: "report",
	})
	if errors.Is(err, api.ErrOtherContents) {
		return nil // CI receives the refusal; the pipeline is unchanged
	}
	return err
}

// Grant implements play.Ground.
func (g ground) Grant(login promotion.Login, permission string) error {
	return g.github.SetPermission(string(story.Home), string(login), permission)
}

// Press implements play.Ground. It presses the button on the newest check run of the stage that offers it.
func (g ground) Press(stage promotion.StageName, button string, by promotion.Login) error {
	runs, err := g.checkRuns(stage)
	if err != nil {
		return err
	}
	for _, run := range runs {
		for _, offered := range run.Buttons {
			if verb, _, _ := strings.Cut(offered, " "); verb == button {
				return g.github.PressButton(run.repo, run.ID, string(by), offered)
			}
		}
	}
	return fmt.Errorf("no check run of %s has a button %s now", stage, button)
}

// Rerun implements play.Ground. The check run is that of the newest freight.
func (g ground) Rerun(stage promotion.StageName, by promotion.Login) error {
	runs, err := g.checkRuns(stage)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return fmt.Errorf("no check run shows %s now", stage)
	}
	return g.github.Rerequest(runs[0].repo, runs[0].ID, string(by))
}

// RerunAll implements play.Ground.
func (g ground) RerunAll(pull story.Pull, by promotion.Login) error {
	p, _ := g.github.Pull(string(pull.Repo), pull.Number)
	if len(g.github.CheckRuns(string(pull.Repo), p.MergeSHA)) == 0 {
		return fmt.Errorf("no check run shows %s now", pull)
	}
	return g.github.RerequestSuite(string(pull.Repo), p.MergeSHA, string(by))
}

// shownRun is a check run in a repository.
type shownRun struct {
	repo string
	githubsim.CheckRun
}

// checkRuns returns the check runs that show a stage, those of the newest freight first.
func (g ground) checkRuns(stage promotion.StageName) (all []shownRun, err error) {
	err = g.program.store.View(g.ctx, func(tx *store.Tx) error {
		s, err := g.snapshot(tx, stage, "")
		if err != nil {
			return err
		}
		for _, f := range slices.Backward(s.Freight) {
			for _, run := range g.github.CheckRuns(string(f.Repo), string(f.SHA)) {
				if run.Name == "waybill / "+string(stage) {
					all = append(all, shownRun{string(f.Repo), run})
				}
			}
		}
		return nil
	})
	return all, err
}

// LoseWebhooks implements play.Trouble.
func (g ground) LoseWebhooks() { g.github.LoseWebhooks(true) }

// DeliverLost implements play.Trouble.
func (g ground) DeliverLost() error {
	g.github.LoseWebhooks(false)
	g.github.DeliverLost()
	return nil
}

// Redeliver implements play.Trouble.
func (g ground) Redeliver(n int) error {
	g.github.Redeliver(n)
	return nil
}

// Restart implements play.Trouble.
func (g ground) Restart() error { return g.restart(g.ctx) }

// Resync implements play.Trouble.
func (g ground) Resync() error { return g.program.Resync(g.ctx) }
