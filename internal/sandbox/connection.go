package sandbox

import (
	"encoding/json"
	"fmt"
	"os"

	"waybill/internal/githubsim"
)

// connection has the addresses and keys that another program needs to use the simulated GitHub and Waybill.
type connection struct {
	GitHub       string `json:"github"` // base URL of the pages
	API          string `json:"api"`    // REST
	GraphQL      string `json:"graphql"`
	Waybill      string `json:"waybill"` // base URL of the server, with /api, /healthz and /metrics
	Token        string `json:"token"`   // for its API; reads need no token in the sandbox
	Source       string `json:"source"`  // the application's repository
	Deploy       string `json:"deploy"`  // the home repository of the pipeline
	AppID        int64  `json:"appId"`
	Installation int64  `json:"installation"` // of the App in the organisation
	PrivateKey   string `json:"privateKey"`   // of the App, in PEM; valid in this sandbox only
}

// writeConnection writes the file atomically, so that a program that waits for it never reads a part of it.
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
