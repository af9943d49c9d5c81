package sandbox

import (
	"fmt"
	"maps"
	"slices"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
)

// build creates the organisations and their repositories, and installs the App in each organisation.
func (w *World) build() error {
	if err := w.github.CreateOrg(ownerOf(story.Home)); err != nil {
		return err
	}
	repos := map[string][]string{ownerOf(story.Home): {string(story.Home)}}
	if err := w.github.CreateRepo(string(story.Home), w.homeFiles()); err != nil {
		return err
	}
	for _, other := range w.script.Scene.Pipeline.Elsewhere() {
		allow := fmt.Sprintf("version: 1\nallow: [%s]\n", story.Home)
		owner := ownerOf(other.Repo)
		if repos[owner] == nil {
			if err := w.github.CreateOrg(owner); err != nil {
				return err
			}
		}
		if err := w.github.CreateRepo(string(other.Repo), map[string]string{config.PipelinePath: allow}); err != nil {
			return err
		}
		repos[owner] = append(repos[owner], string(other.Repo))
	}
	if err := w.raiseNumbers(); err != nil {
		return err
	}
	if err := w.furnish(); err != nil {
		return err
	}
	for _, owner := range slices.Sorted(maps.Keys(repos)) {
		if _, err := w.github.InstallApp(owner, repos[owner]...); err != nil {
			return err
		}
	}
	return nil
}

// homeFiles returns the initial files of the home repository.
func (w *World) homeFiles() map[string]string {
	files := maps.Clone(w.script.Scene.Files)
	if text, exists := files[config.PipelinePath]; exists {
		files[config.PipelinePath] = *w.withChannel(map[string]*string{config.PipelinePath: &text})[config.PipelinePath]
	}
	return files
}

// furnish pushes the files of stages to their branches, except to the branch of the pipeline, which has them.
func (w *World) furnish() error {
	p := w.script.Scene.Pipeline
	for _, s := range p.Stages {
		for _, on := range p.BranchesOf(s) {
			if on == p.At() {
				continue
			}
			if err := w.furnishOn(on, p.On(s, on)); err != nil {
				return err
			}
		}
	}
	return nil
}

// furnishOn pushes the files of a stage, or of its targets on this branch, to a branch.
func (w *World) furnishOn(on promotion.Branch, s *promotion.Stage) error {
	if err := w.branch(on); err != nil {
		return err
	}
	if s.Whole() {
		return nil // the new branch is equal to the default branch already
	}
	files := map[string]*string{}
	for path, text := range w.script.Scene.Files {
		if s.Touches(path) {
			files[path] = githubsim.Text(text)
		}
	}
	_, err := w.github.PushFiles(string(on.Repo), on.Name, "admin", "Furnish", files)
	return err
}

// raiseNumbers makes GitHub number the pull requests of promotions above every #N of stories: GitHub counts on from the
// highest number.
func (w *World) raiseNumbers() error {
	if err := w.meet("admin"); err != nil {
		return err
	}
	n, err := w.github.OpenPull(string(story.Home), githubsim.PullSpec{
		Number: 100_000, Title: "The last of the old numbers", Head: "old", Author: "admin",
		Files: map[string]*string{"old": githubsim.Text("\n")},
	})
	if err != nil {
		return err
	}
	return w.github.ClosePull(string(story.Home), n, "admin")
}

func ownerOf(r promotion.Repo) string {
	for i := range r {
		if r[i] == '/' {
			return string(r[:i])
		}
	}
	return string(r)
}
