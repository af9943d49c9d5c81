package torture

import (
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// loss is how the App loses what it may do, and how it gets that back.
type loss struct {
	what         string
	begin, again func() error
}

// losses are those that may happen to a repository.
func (w *World) losses(repo string) []loss {
	const allowance = ".github/waybill.yml"
	all := []loss{
		{"the App is uninstalled", func() error { return w.github.UninstallApp("acme") }, func() error {
			_, err := w.github.InstallApp("acme", w.installed...)
			return err
		}},
		{"the App is suspended", func() error { return w.github.SuspendApp("acme", true) }, func() error { return w.github.SuspendApp("acme", false) }},
		{"the App does not reach " + repo, func() error { return w.github.ReachRepo(repo, false) }, func() error { return w.github.ReachRepo(repo, true) }},
		{repo + " is archived", func() error { return w.github.ArchiveRepo(repo, true) }, func() error { return w.github.ArchiveRepo(repo, false) }},
	}
	if repo != shape.Home {
		all = append(all, loss{repo + " does not allow it", func() error {
			return w.pushAt(shape.Place{Repo: repo, Branch: "main"}, "bob", "Take back", map[string]*string{allowance: nil})
		}, func() error {
			return w.pushAt(shape.Place{Repo: repo, Branch: "main"}, "bob", "Allow", map[string]*string{allowance: githubsim.Text(allowing)})
		}})
	}
	return all
}

// loseAccess has the App lose what it may do in a repository, or everywhere, and get it back after a while in which
// things happen. What has come about meanwhile is looked for at once then. Nobody pushes to what is archived.
func (w *World) loseAccess(a Act) {
	repo := w.installed[a.A%len(w.installed)]
	all := w.losses(repo)
	i := a.B % len(all)
	w.note("  %s: %v", all[i].what, all[i].begin())
	w.told.prose("(%s)", all[i].what)
	heard := !w.deaf
	w.deaf, w.apart, w.parted = true, true, true
	if i != 3 {
		w.publish(a)
	}
	if a.C%3 == 0 {
		w.some(a.C % 40)
	} else {
		w.rest()
		w.pass([]time.Duration{time.Minute, 16 * time.Minute, 3 * time.Hour}[a.A%3])
	}
	w.apart = false
	w.note("  it is not so any more: %v", all[i].again())
	w.told.prose("(it is not so any more)")
	if heard && i < 3 {
		w.regain()
	}
}
