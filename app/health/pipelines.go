package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/app/gh"
	"waybill/promotion"
)

// files checks each pipeline: its file compiles, and other repositories allow it where it names them.
func files(f *facts) (all []api.Finding) {
	if f.discovery.Error != "" {
		all = append(all, api.Finding{Check: "pipeline", State: api.StateFail, Says: f.discovery.Error,
			Off: "pipelines that are new",
			Do:  "Nothing: Waybill tries again. Look at the network and at githubstatus.com if it lasts"})
	}
	if len(f.pipelines) == 0 && len(all) == 0 {
		all = append(all, api.Finding{Check: "pipeline", State: api.StateWarn, Says: "no pipeline file has been found",
			Off: "promotions",
			Do:  "Commit .github/waybill.yml to the default branch of a repository on which the App is installed"})
	}
	for _, s := range f.pipelines {
		all = append(all, f.file(s))
	}
	return all
}

// file checks the pipeline file of one repository.
func (f *facts) file(s served) api.Finding {
	found := api.Finding{Check: "pipeline", About: string(s.Repo), State: api.StateFail}
	in := slices.IndexFunc(f.installations, func(in gh.Installation) bool { return in.ID == s.Installation })
	switch {
	case f.appErr == nil && f.listErr == nil && in < 0:
		found.Says, found.Off = "the App is not installed there any more", "everything in this pipeline"
		found.Do, found.Link = "Install the App there again, or ignore this", f.app.Settings
	case s.ConfigError != "":
		found.Says, found.Off = s.ConfigError, "the newest pipeline file; the last good one is in force"
		if len(s.Config) == 0 {
			found.Off = "this pipeline"
		}
		found.Do = "Correct the file, or allow this pipeline there with `allow`; `waybill validate` checks files"
	case s.trouble != nil:
		found.Says, found.Off, found.Do = s.trouble.Error(), "this pipeline", "Correct the file"
	case len(s.Config) == 0:
		return fine("pipeline", string(s.Repo), "it has no pipeline file any more")
	default:
		return fine("pipeline", string(s.Repo), "%s in force, of %.7s", counted(len(s.pipeline.Stages), "stage"), s.ConfigSHA)
	}
	return found
}

// resyncs checks that each pipeline has been compared with GitHub.
func resyncs(f *facts) (all []api.Finding) {
	for _, s := range f.pipelines {
		last := "it has never been compared with GitHub"
		if !s.Resynced.IsZero() {
			last = "compared with GitHub " + ago(f.now, s.Resynced)
		}
		switch {
		case s.ResyncFailures > 0:
			all = append(all, api.Finding{Check: "resync", About: string(s.Repo), State: api.StateFail,
				Says: fmt.Sprintf("%s; then it failed %s: %s", last, counted(s.ResyncFailures, "time"), s.ResyncError),
				Off:  "facts whose webhooks were lost",
				Do:   "Grant what the error names; Waybill tries again"})
		default:
			all = append(all, fine("resync", string(s.Repo), "%s", last))
		}
	}
	return all
}

// names checks that what `verify` waits for has been seen: a misspelt name makes each promotion wait in vain.
func names(f *facts) (all []api.Finding) {
	for _, s := range f.pipelines {
		waits := s.awaited()
		unseen := slices.DeleteFunc(slices.Clone(waits), func(w awaited) bool {
			return slices.ContainsFunc(s.heard[w.repo], func(g promotion.Signal) bool { return w.Names(&g) })
		})
		for _, w := range unseen {
			all = append(all, api.Finding{Check: "verify", About: string(s.Repo), State: api.StateWarn,
				Says: fmt.Sprintf("no %s `%s` has been seen on the last commits of %s; seen were %s", w.Kind, w.Pattern, w.repo,
					w.seen(s.heard[w.repo])),
				Off: "the verification of " + listed(w.stages),
				Do:  "Correct the name under `verify`, if it is misspelt",
			})
		}
		if len(waits) > 0 && len(unseen) == 0 {
			all = append(all, fine("verify", string(s.Repo), "all names have been seen"))
		}
	}
	return all
}

// mostSeen is how many names that were seen a finding lists.
const mostSeen = 8

// seen lists the names that have been seen in place of one, with the App where that is what differs.
func (w awaited) seen(heard []promotion.Signal) string {
	var all []string
	for _, g := range heard {
		name := "`" + g.Name + "`"
		if g.Name == w.Pattern && g.Kind == w.Kind {
			name += " of the App " + g.App
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	switch {
	case len(all) == 0:
		return "none"
	case len(all) > mostSeen:
		all = append(all[:mostSeen], "others")
	}
	return strings.Join(all, ", ")
}

func listed(stages []promotion.StageName) string {
	const most = 5
	var all []string
	for _, s := range stages {
		all = append(all, string(s))
	}
	if len(all) > most {
		all = append(all[:most], "others")
	}
	return strings.Join(all, ", ")
}

// ago says how long ago something was.
func ago(now, t time.Time) string {
	if d := now.Sub(t); d >= time.Minute {
		return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s") + " ago"
	}
	return "less than a minute ago"
}
