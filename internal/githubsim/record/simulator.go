package record

import (
	"errors"
	"time"

	"waybill/internal/githubsim"
)

// Simulator starts a simulated GitHub with a scratch repository as the page CONFORMANCE.md has it prepared, and an App
// that is installed there.
func Simulator() (*githubsim.Server, Host, error) {
	const repo = "acme/scratch"
	// Somebody has to take the webhooks: nobody does, which GitHub notes.
	s, err := githubsim.Start(githubsim.Options{WebhookURL: "http://127.0.0.1:1"})
	if err != nil {
		return nil, Host{}, err
	}
	prepare := []func() error{
		func() error { return s.CreateOrg("acme") },
		func() error { return s.CreateUser("ann", "acme") },
		func() error { return s.CreateRepo(repo, map[string]string{"README.md": "scratch\n"}) },
		func() error { return s.SetSettings(repo, githubsim.RepoSettings{NoRebase: true}) },
	}
	for branch, protection := range map[string]githubsim.Protection{
		"queue":      {MergeQueue: true},
		"restricted": {Classic: true, Update: true},
		"ruled":      {Update: true},
		"checked":    {Classic: true, RequiredChecks: []string{"record"}, UpToDate: true},
	} {
		prepare = append(prepare,
			func() error { return s.CreateBranch(repo, branch, "ann", "main") },
			func() error { return s.Protect(repo, branch, protection) })
	}
	prepare = append(prepare, func() error { _, err := s.InstallApp("acme"); return err })
	for _, one := range prepare {
		if err := one(); err != nil {
			return nil, Host{}, errors.Join(err, s.Close())
		}
	}
	return s, Host{
		API: s.V3URL(), GraphQL: s.V4URL(), AppID: s.AppID(), Key: []byte(s.PrivateKeyPEM()), Repo: repo,
		Pause: 10 * time.Millisecond,
	}, nil
}
