package core

import (
	"errors"
	"fmt"
	"slices"

	"waybill/internal/story"
	"waybill/promotion"
)

// PullOf implements play.Pulls.
func (w ground) PullOf(n promotion.Number) (story.Pull, promotion.Branch, error) {
	it := w.github.pullFor(n, w.memory.stepOf(n))
	if it == nil {
		return story.Pull{}, promotion.Branch{}, errors.New("the promotion has no pull request")
	}
	return story.Pull{Repo: it.Repo, Number: it.Number}, promotion.Branch{Repo: it.Repo, Name: it.Head}, nil
}

// SourceState implements play.Pulls.
func (w ground) SourceState(pull story.Pull) (exists, open bool) {
	s := w.github.source(pull)
	return s != nil, s != nil && s.sha == ""
}

// OpenSource implements play.Pulls.
func (w ground) OpenSource(pull story.Pull, into, file string, by promotion.Login) error {
	w.github.sources = append(w.github.sources, &source{
		Pull: pull, into: promotion.Branch{Repo: pull.Repo, Name: into}, files: []string{file}, author: w.rights.actor(by),
	})
	return nil
}

// MergePull implements play.Pulls.
func (w ground) MergePull(pull story.Pull, by promotion.Login) error {
	if s := w.github.source(pull); s != nil {
		w.github.mergeSource(s, w.now)
		return nil
	}
	it, err := w.ours(pull, promotion.PullOpen)
	if err == nil && !w.github.merge(it, w.rights.actor(by), w.now) {
		err = errors.New("its pull request conflicts with its base")
	}
	return err
}

// ours returns a pull request of a promotion. It fails if the pull request is not in the given state.
func (w *World) ours(pull story.Pull, state promotion.PullState) (*pullRequest, error) {
	i := slices.IndexFunc(w.github.pulls, func(p *pullRequest) bool { return p.Number == pull.Number })
	if i < 0 {
		return nil, fmt.Errorf("there is no pull request %s", pull)
	}
	if it := w.github.pulls[i]; it.State == state {
		return it, nil
	}
	return nil, fmt.Errorf("its pull request is %s", w.github.pulls[i].State)
}

// ClosePull implements play.Pulls.
func (w ground) ClosePull(pull story.Pull, by promotion.Login) error {
	it, err := w.ours(pull, promotion.PullOpen)
	if err == nil {
		w.github.close(it, w.rights.actor(by), w.now)
	}
	return err
}

// ReopenPull implements play.Pulls.
func (w ground) ReopenPull(pull story.Pull, _ promotion.Login) error {
	it, err := w.ours(pull, promotion.PullClosed)
	if err == nil {
		it.State, it.By = promotion.PullOpen, promotion.Actor{}
		it.Reopened++
		w.github.changed(it, w.now)
	}
	return err
}

// Retarget implements play.Pulls.
func (w ground) Retarget(pull story.Pull, base string, _ promotion.Login) error {
	it, err := w.ours(pull, promotion.PullOpen)
	if err == nil {
		it.Base = base
		w.github.changed(it, w.now)
	}
	return err
}

// Review implements play.Pulls. A review may change the mergeability of the pull request. An approval counts as a
// sign-off without a reply, and a request for changes takes it back.
func (w ground) Review(pull story.Pull, verdict string, by promotion.Login) error {
	it, err := w.ours(pull, promotion.PullOpen)
	if err != nil {
		return err
	}
	w.github.changed(it, w.now)
	c := promotion.Command{Verb: promotion.CmdApprove, Stage: w.memory.promotion(it.promoted).Stage, Withdraw: true}
	if verdict == "approve" {
		c.Withdraw, c.Plan = false, string(it.HeadSHA)
	}
	w.hook(w.request(c, by, "", promotion.Request{}))
	return nil
}

// DeleteBranch implements play.Branches. GitHub closes the open pull request of the branch.
func (w ground) DeleteBranch(on promotion.Branch, by promotion.Login) error {
	for _, it := range w.github.pulls {
		if it.head() == on && it.State == promotion.PullOpen {
			w.github.close(it, w.rights.actor(by), w.now)
		}
	}
	delete(w.github.files, on)
	return nil
}

// PushFiles implements play.Branches.
func (w ground) PushFiles(on promotion.Branch, _ promotion.Login, _ string, files map[string]*string) error {
	for _, it := range w.github.pulls {
		if it.head() == on && it.State == promotion.PullOpen {
			w.github.pushOnto(it, files, w.now)
			return nil
		}
	}
	w.github.pushFiles(on, files, w.now)
	if on == w.github.home {
		w.hook(func(*memory) { w.readConfig() })
	}
	return nil
}

// Head implements play.Branches.
func (w ground) Head(on promotion.Branch) promotion.SHA { return w.github.head(on) }

// File implements play.Branches.
func (w ground) File(on promotion.Branch, path string) (text string, exists bool) {
	text, exists = w.github.filesOf(on)[path]
	return text, exists
}
