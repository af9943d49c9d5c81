package sandbox

import (
	_ "embed"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"waybill/internal/githubsim"
	"waybill/internal/sandbox/pages"
)

// The repositories of the sandbox's organisation.
const (
	org        = "acme"
	sourceRepo = "acme/api"
	deployRepo = "acme/deploy"
)

// people are the members of the organisation whom users of the sandbox can play, and levels their permissions.
var (
	people = []pages.Person{
		{Login: "ann", About: "maintains both repositories"},
		{Login: "bob", About: "writes to both repositories"},
		{Login: "eve", About: "reads, and may nothing else"},
	}
	levels = map[string]string{"ann": "maintain", "bob": "write", "eve": "read"}
)

//go:embed acme.txtar
var acme []byte

// found creates the organisation acme: its repositories and its people. It returns the id of the App's installation.
func found(github *githubsim.Server) (installation int64, err error) {
	if err := github.CreateOrg(org); err != nil {
		return 0, err
	}
	if err := createRepos(github); err != nil {
		return 0, err
	}
	if err := github.SetBasePermission(org, "read"); err != nil {
		return 0, err
	}
	for _, who := range people {
		if err := github.CreateUser(who.Login, org); err != nil {
			return 0, err
		}
		for _, repo := range []string{sourceRepo, deployRepo} {
			if err := github.SetPermission(repo, who.Login, levels[who.Login]); err != nil {
				return 0, err
			}
		}
	}
	if err := github.CreateUser(argo, org); err != nil {
		return 0, err
	}
	if err := github.SetPermission(deployRepo, argo, "write"); err != nil {
		return 0, err
	}
	return github.InstallApp(org, sourceRepo, deployRepo)
}

// createRepos creates the repositories with the files of the archive.
func createRepos(github *githubsim.Server) error {
	files := map[string]map[string]string{}
	for _, f := range txtar.Parse(acme).Files {
		repo, path, ok := cutRepo(f.Name)
		if !ok {
			return fmt.Errorf("read the sandbox's files: %s is in no repository", f.Name)
		}
		if files[repo] == nil {
			files[repo] = map[string]string{}
		}
		files[repo][path] = string(f.Data)
	}
	for _, repo := range []string{sourceRepo, deployRepo} {
		if err := github.CreateRepo(repo, files[repo]); err != nil {
			return err
		}
		if err := github.SetSettings(repo, githubsim.RepoSettings{DeleteBranchOnMerge: true}); err != nil {
			return err
		}
	}
	return nil
}

// cutRepo splits "acme/api/README.md" after the repository.
func cutRepo(name string) (repo, path string, ok bool) {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[0] + "/" + parts[1], parts[2], true
}

// The pull requests of the application. The first is merged at once, the others wait for the user.
const (
	firstPull = 142
	goodPull  = 143
	badPull   = 144
)

// tries are suggestions for newcomers, in order.
var tries = []pages.Try{
	{Text: "Merge #143 and follow it to prod, in its checks and in the pull requests of acme/deploy",
		Link: "/acme/api/pull/143"},
	{Text: "Merge #144, which breaks in staging-a, see that prod never gets it, and comment /rollback staging-a, " +
		"or press Roll back in Slack",
		Link: "/acme/api/pull/144"},
	{Text: "Break one of the seven clusters of prod. Comment /rollback prod on #143, and see where it stops. Mend the " +
		"cluster, then comment /unhold prod and /retry prod on #142, which prod goes back to", Link: "/-/clusters"},
	{Text: "Comment /hold prod for the weekend, as ann and as eve, who may not", Link: "/acme/api/pull/142"},
	{Text: "Type /waybill status in Slack, as ann and as eve, who has to link her account first", Link: "/-/slack"},
}

// openPulls opens the pull requests. The fault of badPull shows only in end-to-end tests, in staging-a.
func openPulls(github *githubsim.Server) error {
	for _, spec := range []githubsim.PullSpec{
		{
			Number: firstPull, Title: "Greet by name", Head: "greet-by-name", Author: "ann",
			Files: map[string]*string{
				"services/api/main.go": githubsim.Text("package main\n\nfunc main() { println(\"hello, you\") }\n"),
			},
		},
		{
			Number: goodPull, Title: "Say goodbye", Head: "say-goodbye", Author: "bob",
			Files: map[string]*string{
				"services/api/goodbye.go": githubsim.Text("package main\n\nfunc goodbye() { println(\"goodbye\") }\n"),
			},
		},
		{
			Number: badPull, Title: "Count visitors", Head: "count-visitors", Author: "bob",
			Files: map[string]*string{
				"services/api/count.go": githubsim.Text("package main\n\nfunc count() { panic(\"count is not written yet\") }\n"),
			},
		},
	} {
		if _, err := github.OpenPull(sourceRepo, spec); err != nil {
			return err
		}
	}
	return nil
}
