package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// happen does on GitHub what the story says people, CI and accidents do.
func (w *World) happen(ctx context.Context, h story.Happening) error {
	if err := w.meet(h.By); err != nil {
		return err
	}
	switch h.Kind {
	case story.Merge, story.Close, story.Reopen, story.Review:
		return w.handlePull(ctx, h)
	case story.Workflow:
		return w.finishRun(h)
	case story.Check, story.Status, story.Deployment:
		return w.signal(ctx, h)
	case story.Comment:
		return w.comment(h)
	case story.Label:
		return w.github.AddLabel(string(w.repo(h.Pull.Repo)), h.Pull.Number, string(h.By), h.Name)
	case story.Unlabel:
		return w.github.RemoveLabel(string(w.repo(h.Pull.Repo)), h.Pull.Number, string(h.By), h.Name)
	case story.Push:
		return w.push(h)
	case story.Release, story.Tag:
		return w.tag(h)
	case story.Report:
		return w.report(ctx, h)
	case story.Image:
		return w.image(ctx, h)
	case story.Edit:
		return w.edit(h)
	case story.Target:
		return w.target(h)
	case story.Config:
		return w.configure(h)
	case story.Grant:
		return w.github.SetPermission(string(story.Home), string(h.By), h.Result)
	case story.Resync:
		return w.program.Resync(ctx)
	case story.Restart:
		return w.restart(ctx)
	case story.Wait:
		return nil
	}
	return w.fault(h)
}

// comment writes a comment below a pull request, which is opened if the story has not merged it yet.
func (w *World) comment(h story.Happening) error {
	repo := string(w.repo(h.Pull.Repo))
	if _, there := w.github.Pull(repo, h.Pull.Number); !there {
		if _, err := w.openSource(h); err != nil {
			return err
		}
	}
	_, err := w.github.Comment(repo, h.Pull.Number, string(h.By), h.Text)
	return err
}

// Playable reports whether a story needs nothing that the whole program does not do yet: labels, buttons and
// Slack come to it later.
func Playable(s story.Story) bool {
	for _, step := range s.Steps {
		switch step.Happening.Kind {
		case story.Press, story.Slack, story.Label, story.Unlabel:
			return false
		case story.Wait:
			if step.Happening.For > 30*24*time.Hour { // it looks around every few minutes, and months take it too long
				return false
			}
		case story.Review:
			if step.Happening.Result == "changes" { // it comes after a refusal to merge that nothing but the story stands behind
				return false
			}
		}
	}
	return true
}

// meet makes a person who is named for the first time: a member of the organisation who may write everywhere.
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

func (w *World) repo(r promotion.Repo) promotion.Repo { return story.SourceRepo(w.scene.Pipeline, r) }

// handlePull does what people do to pull requests: theirs and ours.
func (w *World) handlePull(ctx context.Context, h story.Happening) error {
	if h.Promotion == 0 {
		return w.mergeSource(h)
	}
	repo, number, err := w.pullOf(ctx, h.Promotion)
	if err != nil {
		return err
	}
	switch h.Kind {
	case story.Merge:
		_, err = w.github.MergePull(repo, number, string(h.By), "squash")
	case story.Close:
		err = w.github.ClosePull(repo, number, string(h.By))
	case story.Reopen:
		err = w.github.ReopenPull(repo, number, string(h.By))
	case story.Review:
		state := map[string]string{"approve": "APPROVED", "changes": "CHANGES_REQUESTED"}[h.Result]
		err = w.github.Review(repo, number, string(h.By), state, "I have looked at it.")
	}
	return err
}

// mergeSource merges a pull request that every warehouse of the repository accepts, and writes it first if need be.
func (w *World) mergeSource(h story.Happening) error {
	repo := string(w.repo(h.Pull.Repo))
	if p, there := w.github.Pull(repo, h.Pull.Number); !there || p.State != "open" {
		if _, err := w.openSource(h); err != nil {
			return err
		}
	}
	_, err := w.github.MergePull(repo, h.Pull.Number, string(h.By), "squash")
	return err
}

// openSource opens a pull request of somebody.
func (w *World) openSource(h story.Happening) (int, error) {
	file, err := story.SourceFile(w.scene.Pipeline, h.Pull.Repo, h.Pull.Number)
	if err != nil && h.Kind == story.Comment { // one of a repository whose pull requests make no freight
		file, err = fmt.Sprintf("change-%d.txt", h.Pull.Number), nil
	}
	if err != nil {
		return 0, err
	}
	return w.github.OpenPull(string(w.repo(h.Pull.Repo)), githubsim.PullSpec{
		Number: h.Pull.Number, Title: fmt.Sprintf("Change %d", h.Pull.Number), Head: fmt.Sprintf("change-%d", h.Pull.Number),
		Author: string(h.By), Files: map[string]*string{file: githubsim.Text(fmt.Sprintf("change %d\n", h.Pull.Number))},
	})
}

// pullOf returns a promotion's pull request.
func (w *World) pullOf(ctx context.Context, n promotion.Number) (repo string, number int, err error) {
	err = w.program.store.View(ctx, func(tx *store.Tx) error {
		pipeline, err := w.pipeline(tx)
		if err != nil {
			return err
		}
		a, err := tx.Ledger.Attempt(pipeline, n)
		repo, number = string(a.Files.Repo), a.Pull
		return err
	})
	if err == nil && number == 0 {
		err = fmt.Errorf("the promotion has no pull request")
	}
	return repo, number, err
}

// signal lets CI report on the commit that the story means.
func (w *World) signal(ctx context.Context, h story.Happening) error {
	sha, err := w.commitAt(ctx, h.At)
	if err != nil {
		return err
	}
	on := w.filesAt(h.At)
	switch h.Kind {
	case story.Check:
		spec := githubsim.CheckSpec{Name: h.Name, SHA: sha, Suite: or(h.Suite, "ci"), Branch: on.Name, App: h.App}
		if h.Result == "queued" || h.Result == "in_progress" {
			spec.Status = h.Result
		} else {
			spec.Conclusion = h.Result
		}
		_, err = w.github.CreateCheckRun(string(on.Repo), spec)
	case story.Status:
		err = w.github.CreateStatus(string(on.Repo), sha, "ci-bot", h.Name, h.Result, "")
	case story.Deployment:
		err = w.deploy(string(on.Repo), sha, h)
	}
	return err
}

// finishRun ends the run that was started last for a stage, or says that it goes on.
func (w *World) finishRun(h story.Happening) error {
	for _, run := range slices.Backward(w.github.DispatchedRuns(string(story.Home))) {
		if _, _, stage := promotion.RunOf(run.Title); stage != h.At.Stage {
			continue
		}
		if h.Result == "in_progress" {
			return w.github.ContinueWorkflow(string(story.Home), run.ID)
		}
		return w.github.FinishWorkflow(string(story.Home), run.ID, h.Result)
	}
	return fmt.Errorf("no workflow has been started for %s", h.At.Stage)
}

// filesAt returns the branch that a place is on.
func (w *World) filesAt(at story.Place) promotion.Branch {
	p := w.scene.Pipeline
	s := p.Stage(at.Stage)
	if at.Target != "" {
		if t := s.Target(promotion.TargetName(at.Target)); t != nil {
			return p.FilesOn(s, t.Files)
		}
	}
	return p.FilesOf(s)
}

// holding returns the branch that holds a file: that of the stage that changes it, or else that of the pipeline.
func (w *World) holding(path string) promotion.Branch {
	p := w.scene.Pipeline
	for _, s := range p.Stages {
		for _, on := range p.BranchesOf(s) {
			if p.On(s, on).Touches(path) {
				return on
			}
		}
	}
	return p.At()
}

func (w *World) deploy(repo, sha string, h story.Happening) error {
	id, err := w.github.CreateDeployment(repo, sha, "ci-bot", h.Name)
	if err != nil {
		return err
	}
	return w.github.CreateDeploymentStatus(repo, id, "ci-bot", h.Result)
}

// commitAt returns the commit that a place means: on a stage, what it verifies now, or else hosts.
func (w *World) commitAt(ctx context.Context, at story.Place) (sha string, err error) {
	if at.Stage == "" && at.Commit.Of == 'c' {
		for _, repo := range w.github.Repos() {
			if p, found := w.github.Pull(repo, at.Commit.Number); found && p.MergeSHA != "" {
				return p.MergeSHA, nil
			}
		}
		return "", fmt.Errorf("pull request #%d has not been merged", at.Commit.Number)
	}
	err = w.program.store.View(ctx, func(tx *store.Tx) error {
		if at.Stage == "" {
			pipeline, err := w.pipeline(tx)
			if err != nil {
				return err
			}
			p, err := tx.Ledger.Promotion(pipeline, promotion.Number(at.Commit.Number))
			sha = string(p.MergeSHA)
			return err
		}
		s, err := w.snapshot(tx, at.Stage, "")
		if err != nil {
			return err
		}
		for _, deployment := range s.Deployments {
			if !deployment.Ended() {
				sha = string(deployment.Commit)
			}
			for _, part := range deployment.Results {
				if string(part.Target) == at.Target {
					sha = string(part.Commit)
				}
			}
		}
		return nil
	})
	if err == nil && sha == "" {
		err = fmt.Errorf("nothing has been merged there")
	}
	return sha, err
}

// push changes files of one branch without a pull request: every value in them that a stage sets, and every line
// of them, so that it conflicts with whatever else changes them, as stories have it.
func (w *World) push(h story.Happening) error {
	files, on := map[string]*string{}, w.holding(h.Paths[0])
	for _, path := range h.Paths {
		old, _ := w.github.File(string(on.Repo), on.Name, path)
		n := len(w.github.Requests())
		text := story.Pushed(w.scene.Pipeline, path, old, fmt.Sprintf("%s-%d", h.By, n))
		sign := fmt.Sprintf(" # by %s, %d\n", h.By, n)
		files[path] = githubsim.Text(strings.ReplaceAll(text, "\n", sign) + sign)
	}
	_, err := w.github.PushFiles(string(on.Repo), on.Name, string(h.By), "Change by hand", files)
	return err
}

// tag publishes a release of the default branch, or points a tag at it.
func (w *World) tag(h story.Happening) error {
	kind := promotion.FromReleases
	if h.Kind == story.Tag {
		kind = promotion.FromTags
	}
	repo, tag, err := story.TaggedIn(w.scene.Pipeline, kind, h.Name)
	switch {
	case err != nil:
		return err
	case h.Kind == story.Tag:
		return w.github.PushTag(string(repo), "admin", tag, story.Branch)
	}
	return w.github.PublishRelease(string(repo), "admin", tag, false)
}

// image pushes an image of the commit of a source pull request.
func (w *World) image(ctx context.Context, h story.Happening) error {
	image, pull, err := story.ImageOf(h.Name)
	if err != nil {
		return err
	}
	sha, err := w.commitAt(ctx, story.Place{Commit: story.Commit{Of: 'c', Number: pull}})
	if err != nil {
		return err
	}
	owner, name, _ := strings.Cut(strings.TrimPrefix(image, promotion.Registry), "/")
	if owner != ownerOf(story.Home) {
		return fmt.Errorf("%s is not an image of %s", image, ownerOf(story.Home))
	}
	commit := promotion.SHA(sha)
	return w.github.PushImage(string(story.Home), "ci-bot", githubsim.ImageSpec{
		Name: name, Tags: []string{"main", story.ImageTag(commit)}, Digest: story.ImageDigest(commit),
	})
}

// report has CI report a version of the head of the branch.
func (w *World) report(ctx context.Context, h story.Happening) error {
	warehouse := w.scene.Pipeline.Warehouse(promotion.WarehouseName(h.Name))
	if warehouse == nil {
		return fmt.Errorf("there is no warehouse %s", h.Name)
	}
	var row store.PipelineRow
	err := w.program.store.View(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Ledger.PipelineByRepo(story.Home)
		return err
	})
	if err != nil {
		return err
	}
	made := promotion.Build{Version: h.Text, Commit: promotion.SHA(w.github.Head(string(warehouse.Repo), story.Branch))}
	_, _, err = w.program.ReportFreight(ctx, row, warehouse, made, store.Event{Pipeline: row.ID, Kind: store.EventCommand, Word: "report"})
	if errors.Is(err, api.ErrOtherContents) {
		return nil // CI is told, and nothing has happened
	}
	return err
}

// edit changes one value of a file without a pull request.
func (w *World) edit(h story.Happening) error {
	on := w.holding(h.Paths[0])
	old, _ := w.github.File(string(on.Repo), on.Name, h.Paths[0])
	text, err := story.Edited(w.scene.Pipeline, h.Paths[0], old, h.Name, h.Result)
	if err != nil {
		return err
	}
	_, err = w.github.PushFiles(string(on.Repo), on.Name, string(h.By), "Edit by hand",
		map[string]*string{h.Paths[0]: githubsim.Text(text)})
	return err
}

// target adds or removes the files of a target, or makes it ready or not.
func (w *World) target(h story.Happening) error {
	if h.AboutReadiness() {
		return w.ready(h)
	}
	branch := w.scene.Pipeline.Branch
	files, err := story.TargetFiles(w.scene.Pipeline, h, func(path string) bool {
		_, exists := w.github.File(string(story.Home), branch, path)
		return exists
	})
	if err != nil || len(files) == 0 {
		return err
	}
	if scene, err := w.scene.Having(files); err == nil {
		w.scene = scene
	}
	_, err = w.github.PushFiles(string(story.Home), branch, "janitor", "Clusters come and go", files)
	return err
}

// ready makes a target show what it must before it takes part, or the opposite.
func (w *World) ready(h story.Happening) error {
	conditions, state, err := story.TargetShows(w.scene.Pipeline, h)
	if err != nil {
		return err
	}
	on := w.filesAt(story.Place{Stage: h.Stage, Target: h.Target})
	repo, head := string(on.Repo), w.github.Head(string(on.Repo), on.Name)
	for _, c := range conditions {
		h.Name, h.Result = c.Name, state
		switch c.Kind {
		case promotion.KindEnvironment:
			err = w.github.SetEnvironment(repo, c.Name, state == promotion.Met)
		case promotion.KindDeployment:
			err = w.deploy(repo, head, h)
		case promotion.KindStatus:
			err = w.github.CreateStatus(repo, head, "ci-bot", c.Name, state, "")
		default:
			_, err = w.github.CreateCheckRun(repo, githubsim.CheckSpec{Name: c.Name, SHA: head, Suite: "health", App: c.App, Conclusion: state})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// configure makes a file of the archive the pipeline or the policy file.
func (w *World) configure(h story.Happening) error {
	contents, exists := w.story.File(h.Name)
	if !exists {
		return fmt.Errorf("there is no file named %s in this archive", h.Name)
	}
	path := config.PipelinePath
	if scene, err := w.scene.With(h.Name, string(contents)); err == nil {
		w.scene = scene
	}
	if isPolicy(h.Name) {
		path = config.PolicyPath
	}
	files := map[string]*string{path: githubsim.Text(string(contents))}
	for name, text := range w.scene.Files {
		if _, there := w.github.File(string(story.Home), w.scene.Pipeline.Branch, name); !there {
			files[name] = githubsim.Text(text)
		}
	}
	_, err := w.github.PushFiles(string(story.Home), w.scene.Pipeline.Branch, string(or(string(h.By), "admin")), "Configure", files)
	return err
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
