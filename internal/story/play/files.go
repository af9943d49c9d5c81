package play

import (
	"cmp"
	"fmt"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
)

// push puts a commit on a branch without a pull request of its own. On the branch of a promotion it adds a file. On
// another branch it changes every value that a stage sets in the given files, and every line of them, so that it
// conflicts with any other change to them.
func (s *Script) push(g Ground, h story.Happening) error {
	s.pushes++
	sign := fmt.Sprintf("by-%s-%d", h.By, s.pushes)
	if h.Promotion != 0 {
		_, branch, err := g.PullOf(h.Promotion)
		if err != nil {
			return err
		}
		text := sign + "\n"
		return g.PushFiles(branch, h.By, "Add to it by hand", map[string]*string{"by-hand.txt": &text})
	}
	on, files := s.holding(h.Paths[0]), map[string]*string{}
	for _, path := range h.Paths {
		old, _ := g.File(on, path)
		text := story.Pushed(s.Scene.Pipeline, path, old, sign)
		text = strings.ReplaceAll(text, "\n", " # "+sign+"\n") + "# " + sign + "\n"
		files[path] = &text
	}
	return g.PushFiles(on, h.By, "Change by hand", files)
}

// edit changes one value of a file without a pull request.
func (s *Script) edit(g Ground, h story.Happening) error {
	path := h.Paths[0]
	on := s.holding(path)
	old, _ := g.File(on, path)
	text, err := story.Edited(s.Scene.Pipeline, path, old, h.Name, h.Result)
	if err != nil {
		return err
	}
	return g.PushFiles(on, h.By, "Edit by hand", map[string]*string{path: &text})
}

// holding returns the branch of a file: that of the stage that changes the file, or else that of the pipeline.
func (s *Script) holding(path string) promotion.Branch {
	p := s.Scene.Pipeline
	for _, stage := range p.Stages {
		for _, on := range p.BranchesOf(stage) {
			if p.On(stage, on).Touches(path) {
				return on
			}
		}
	}
	return p.At()
}

// target adds or removes the files of a target, or changes its readiness.
func (s *Script) target(g Ground, h story.Happening) error {
	on := s.filesAt(story.Place{Stage: h.Stage, Target: h.Target})
	if h.AboutReadiness() {
		return s.showReadiness(g, h, on)
	}
	files, err := story.TargetFiles(s.Scene.Pipeline, h, func(path string) bool {
		_, exists := g.File(on, path)
		return exists
	})
	if err != nil || len(files) == 0 {
		return err
	}
	if scene, err := s.Scene.Having(files); err == nil {
		s.Scene = scene
	}
	return g.PushFiles(on, "janitor", "Clusters come and go", files)
}

// showReadiness makes the conditions of a target's `ready` true or false.
func (s *Script) showReadiness(g Ground, h story.Happening, on promotion.Branch) error {
	conditions, state, err := story.TargetShows(s.Scene.Pipeline, h)
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if c.Kind == promotion.KindEnvironment {
			err = g.SetEnvironment(on.Repo, c.Name, state == promotion.Met)
		} else {
			err = g.Report(on, Signal{Kind: c.Kind, SHA: g.Head(on), Name: c.Name, Result: state, Suite: "health", App: c.App})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// configure pushes a file of the archive as the pipeline or the policy file, and adds the files that its stages need.
// An invalid file is pushed too, but does not change the scene.
func (s *Script) configure(g Ground, h story.Happening) error {
	contents, exists := s.Story.File(h.Name)
	if !exists {
		return fmt.Errorf("there is no file named %s in this archive", h.Name)
	}
	text, at := string(contents), s.Scene.Pipeline.At()
	if scene, err := s.Scene.With(h.Name, text); err == nil {
		s.Scene = scene
	}
	files := map[string]*string{story.ConfigPath(h.Name): &text}
	for name, text := range s.Scene.Files {
		if _, there := g.File(at, name); !there {
			files[name] = &text
		}
	}
	return g.PushFiles(at, cmp.Or(h.By, "admin"), "Configure", files)
}
