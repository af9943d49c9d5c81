package torture

import (
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// allowing is a file by which a repository allows the pipeline to write there.
const allowing = "version: 1\nallow: [" + shape.Home + "]\n"

// makePlaces makes the branches where files of stages are, and puts the files there.
func (w *World) makePlaces(files map[string]string) (errs []error) {
	for _, at := range w.shape.Places {
		if at.Branch != "main" {
			errs = append(errs, w.github.CreateBranch(at.Repo, at.Branch, "bob", "main"))
		}
		if at != shape.Here {
			some := map[string]*string{}
			for path, text := range shape.Belonging(&w.pipeline, at, files) {
				some[path] = githubsim.Text(text)
			}
			errs = append(errs, w.pushAt(at, "bob", "Begin", some))
		}
	}
	return errs
}

// pushAt has a person push files to a place.
func (w *World) pushAt(at shape.Place, who, message string, files map[string]*string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := w.github.PushFiles(at.Repo, at.Branch, who, message, files)
	return err
}

// push has a person push files, each to where it belongs.
func (w *World) push(who, message string, files map[string]*string) error {
	w.touch(files)
	for _, at := range w.shape.Places {
		if err := w.pushAt(at, who, message, shape.Belonging(&w.pipeline, at, files)); err != nil {
			return err
		}
	}
	return nil
}

// contentOf is what a file of a stage says, and whether it is there.
func (w *World) contentOf(path string) (text string, there bool) {
	at := w.pipeline.PlaceOf(path)
	return w.github.File(at.Repo, at.Branch, path)
}

// has reports whether a file of a stage is there.
func (w *World) has(_ *shape.Stage, path string) bool {
	_, is := w.contentOf(path)
	return is
}

// heads is where the branches of the places are.
func (w *World) heads() map[shape.Place]string {
	heads := make(map[shape.Place]string, len(w.shape.Places))
	for _, at := range w.shape.Places {
		heads[at] = w.github.Head(at.Repo, at.Branch)
	}
	return heads
}

// pulled returns the pull request that a request merges.
func (w *World) pulled(r *http.Request) (p githubsim.Pull, found bool) {
	_, path, _ := strings.Cut(r.URL.Path, "/repos/")
	results := strings.Split(path, "/") // owner, repository, pulls, number, merge
	return w.github.Pull(results[0]+"/"+results[1], numberIn(r))
}

// goesTo is where a pull request goes.
func goesTo(p githubsim.Pull) shape.Place { return shape.Place{Repo: p.Repo, Branch: p.BaseBranch} }

// checkPlace: a merge of ours goes to where the files of its stage are, as the pipeline file had it when its promotion
// began.
func (w *World) checkPlace(p githubsim.Pull) {
	s := w.pipeline.Stage(stageIn(p))
	if s == nil {
		return
	}
	if goesTo(p) != s.At() && (s.Second == (shape.Place{}) || goesTo(p) != s.Second) {
		w.broken("nothing is written but where the files of a stage are", "#%d of %s goes to %v, and not to %v", p.Number, s.Name, goesTo(p), s.At())
	}
}

// deployments lists those of all repositories where files of stages are.
func (w *World) deployments() (all []githubsim.Deployment) {
	for _, repo := range w.shape.Repos() {
		all = append(all, w.github.Deployments(repo)...)
	}
	return all
}

// chosenFile chooses one of the files of a stage that are there.
func (w *World) chosenFile(s *shape.Stage, n int) (path, text string) {
	there := slices.DeleteFunc(s.Files(), func(path string) bool { return !w.has(s, path) })
	if len(there) == 0 {
		return "", ""
	}
	path = there[n%len(there)]
	text, _ = w.contentOf(path)
	return path, text
}
