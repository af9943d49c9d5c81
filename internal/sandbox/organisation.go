package sandbox

import (
	_ "embed"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"waybill/internal/githubsim"
)

// The repositories of the sandbox's organisation.
const (
	org        = "acme"
	sourceRepo = "acme/api"
	deployRepo = "acme/deploy"
)

//go:embed acme.txtar
var acme []byte

// found makes the organisation acme: an application, the repository that says where it runs, and the people.
func found(github *githubsim.Server) error {
	if err := github.CreateOrg(org); err != nil {
		return err
	}
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
	}
	for _, login := range []string{"ann", "bob"} {
		if err := github.CreateUser(login, org); err != nil {
			return err
		}
		for _, repo := range []string{sourceRepo, deployRepo} {
			if err := github.SetPermission(repo, login, "write"); err != nil {
				return err
			}
		}
	}
	_, err := github.InstallApp(org, sourceRepo, deployRepo)
	return err
}

// cutRepo splits "acme/api/README.md" after the repository.
func cutRepo(name string) (repo, path string, ok bool) {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[0] + "/" + parts[1], parts[2], true
}
