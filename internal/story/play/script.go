package play

import (
	"fmt"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
)

// Script is a story while it is played: its archive, and the present state of the home repository and the pipeline.
type Script struct {
	Story  story.Story
	Scene  story.Scene
	pushes int // number of pushes by hand, so that each differs
}

// Begin returns the script of a story before its first step. It fails if the pipeline or the policy file is not valid.
func Begin(s story.Story) (*Script, error) {
	scene, err := s.Scene()
	return &Script{Story: s, Scene: scene}, err
}

// acts maps kinds of happenings to their actions. The other kinds only ask a question, or only let time pass.
var acts = map[story.Kind]func(*Script, Ground, story.Happening) error{
	story.Merge:      (*Script).merge,
	story.Close:      onPull(Ground.ClosePull),
	story.Reopen:     onPull(Ground.ReopenPull),
	story.Review:     (*Script).review,
	story.Retarget:   (*Script).retarget,
	story.Delete:     (*Script).deleteBranch,
	story.Comment:    (*Script).comment,
	story.Label:      (*Script).label,
	story.Unlabel:    (*Script).label,
	story.Slack:      func(_ *Script, g Ground, h story.Happening) error { return g.Slash(h.By, h.Text) },
	story.Press:      func(_ *Script, g Ground, h story.Happening) error { return g.Press(h.Stage, h.Name, h.By) },
	story.Rerun:      (*Script).rerun,
	story.Grant:      func(_ *Script, g Ground, h story.Happening) error { return g.Grant(h.By, h.Result) },
	story.Check:      (*Script).report,
	story.Status:     (*Script).report,
	story.Deployment: (*Script).report,
	story.Workflow:   func(_ *Script, g Ground, h story.Happening) error { return g.FinishRun(h.At.Stage, h.Result) },
	story.Report:     (*Script).reportFreight,
	story.Image:      (*Script).pushImage,
	story.Release:    (*Script).tag,
	story.Tag:        (*Script).tag,
	story.Push:       (*Script).push,
	story.Edit:       (*Script).edit,
	story.Target:     (*Script).target,
	story.Config:     (*Script).configure,
	story.Lose:       func(_ *Script, g Ground, _ story.Happening) error { g.LoseWebhooks(); return nil },
	story.Deliver:    func(_ *Script, g Ground, _ story.Happening) error { return g.DeliverLost() },
	story.Redeliver:  func(_ *Script, g Ground, h story.Happening) error { return g.Redeliver(max(h.Count, 1)) },
	story.Restart:    func(_ *Script, g Ground, _ story.Happening) error { return g.Restart() },
	story.Resync:     func(_ *Script, g Ground, _ story.Happening) error { return g.Resync() },
	story.Crash:      func(_ *Script, g Ground, h story.Happening) error { return g.CrashAt(h.Result, h.Effect) },
	story.GitHub: func(_ *Script, g Ground, h story.Happening) error {
		return g.FailAt(h.Effect, h.Code, max(h.Count, 1))
	},
}

// Do carries out a happening on a ground. The world handles the consequences, the questions and the passing of time. Do
// returns an error if the happening is impossible on that ground.
func (s *Script) Do(g Ground, h story.Happening) error {
	if act := acts[h.Kind]; act != nil {
		return act(s, g, h)
	}
	if h.Kind.Asks() || h.Kind == story.Wait {
		return nil
	}
	return Refused{string(h.Kind), "there is no such happening"}
}

// onPull returns a person's action on the pull request of a promotion.
func onPull(act func(Ground, story.Pull, promotion.Login) error) func(*Script, Ground, story.Happening) error {
	return func(_ *Script, g Ground, h story.Happening) error {
		pull, _, err := g.PullOf(h.Promotion)
		if err != nil {
			return err
		}
		return act(g, pull, h.By)
	}
}

// merge merges the pull request of a promotion, or a source pull request, which it opens if it is not open.
func (s *Script) merge(g Ground, h story.Happening) error {
	if h.Promotion != 0 {
		return onPull(Ground.MergePull)(s, g, h)
	}
	pull := s.pull(h)
	if _, open := g.SourceState(pull); !open {
		file, err := story.SourceFile(s.Scene.Pipeline, pull.Repo, pull.Number)
		if err != nil {
			return err
		}
		if err := g.OpenSource(pull, s.watched(pull.Repo), file, h.By); err != nil {
			return err
		}
	}
	return g.MergePull(pull, h.By)
}

// rerun asks for check runs to be run again: for that of a stage, or for all on the merge commit of a source pull
// request.
func (s *Script) rerun(g Ground, h story.Happening) error {
	if h.Stage != "" {
		return g.Rerun(h.Stage, h.By)
	}
	return g.RerunAll(s.pull(h), h.By)
}

// source returns the source pull request of a happening, and opens it if it does not exist. The pull requests of its
// repository need not make freight.
func (s *Script) source(g Ground, h story.Happening) (story.Pull, error) {
	pull := s.pull(h)
	if exists, _ := g.SourceState(pull); exists {
		return pull, nil
	}
	file, err := story.SourceFile(s.Scene.Pipeline, pull.Repo, pull.Number)
	if err != nil {
		file = fmt.Sprintf("change-%d.txt", pull.Number)
	}
	return pull, g.OpenSource(pull, s.watched(pull.Repo), file, h.By)
}

// pull returns the source pull request that a happening names, with its full repository.
func (s *Script) pull(h story.Happening) story.Pull {
	return story.Pull{Repo: story.SourceRepo(s.Scene.Pipeline, h.Pull.Repo), Number: h.Pull.Number}
}

// watched returns the branch of a repository that its first warehouse watches, or else the default branch.
func (s *Script) watched(repo promotion.Repo) string {
	for _, w := range s.Scene.Pipeline.Warehouses {
		if w.Repo == repo && story.OfBranch(w) {
			return w.Branch
		}
	}
	return story.Branch
}

// comment writes a comment. A \n in its text begins a new line.
func (s *Script) comment(g Ground, h story.Happening) error {
	pull, err := s.source(g, h)
	if err != nil {
		return err
	}
	return g.Comment(pull, h.By, strings.ReplaceAll(h.Text, `\n`, "\n"))
}

func (s *Script) label(g Ground, h story.Happening) error {
	pull, err := s.source(g, h)
	switch {
	case err != nil:
		return err
	case h.Kind == story.Unlabel:
		return g.Unlabel(pull, h.Name, h.By)
	}
	return g.Label(pull, h.Name, h.By)
}

func (s *Script) review(g Ground, h story.Happening) error {
	return onPull(func(g Ground, pull story.Pull, by promotion.Login) error {
		return g.Review(pull, h.Result, by)
	})(s, g, h)
}

func (s *Script) retarget(g Ground, h story.Happening) error {
	return onPull(func(g Ground, pull story.Pull, by promotion.Login) error {
		return g.Retarget(pull, h.Name, by)
	})(s, g, h)
}

// deleteBranch deletes the head branch of a promotion's pull request.
func (s *Script) deleteBranch(g Ground, h story.Happening) error {
	_, branch, err := g.PullOf(h.Promotion)
	if err != nil {
		return err
	}
	return g.DeleteBranch(branch, h.By)
}
