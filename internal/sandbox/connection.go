package sandbox

import (
	"encoding/json"
	"fmt"
	"os"

	"waybill/internal/githubsim"
)

// connection is what another program needs in order to be a client of the sandbox's GitHub.
type connection struct {
	GitHub       string `json:"github"` // the pages
	API          string `json:"api"`    // REST
	GraphQL      string `json:"graphql"`
	Waybill      string `json:"waybill"` // the server under /api, /healthz and /metrics
	Token        string `json:"token"`   // opens its API; reading needs none here
	Source       string `json:"source"`  // the application's repository
	Deploy       string `json:"deploy"`  // the home repository of the pipeline
	AppID        int64  `json:"appId"`
	Installation int64  `json:"installation"` // of the App in the organisation
	PrivateKey   string `json:"privateKey"`   // of the App, in PEM; it opens nothing but this sandbox
}

// writeConnection writes the file at once or not at all, so that whoever waits for it never reads half of it.
func writeConnection(file string, github *githubsim.Server, p *program, installation int64, token string) error {
	text, err := json.MarshalIndent(connection{
		GitHub: github.URL(), API: github.V3URL(), GraphQL: github.V4URL(), Waybill: p.url, Token: token, Source: sourceRepo,
		Deploy: deployRepo, AppID: github.AppID(), Installation: installation, PrivateKey: github.PrivateKeyPEM(),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("describe the sandbox: %w", err)
	}
	half := file + ".new"
	if err := os.WriteFile(half, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("describe the sandbox: %w", err)
	}
	if err := os.Rename(half, file); err != nil {
		return fmt.Errorf("describe the sandbox: %w", err)
	}
	return nil
}
