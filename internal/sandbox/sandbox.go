// Package sandbox runs the whole of Waybill against a simulated GitHub in one process. Play is for newcomers, who can
// try it without an account. World plays stories on the real program.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"waybill/app"
	"waybill/app/api"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/sandbox/pages"
	"waybill/internal/slacksim"
	"waybill/promotion"
)

// checkTime is how long a check or the update of a cluster takes in the sandbox.
const checkTime = 1500 * time.Millisecond

// Settings say how the sandbox is reached.
type Settings struct {
	// Port is that of the simulated GitHub on 127.0.0.1; the next one is Waybill's. 0: the system chooses both.
	Port int
	// Connect names a file for the addresses and keys of the sandbox, for other programs; empty: none is written.
	Connect string
}

// listen returns the address of the server that comes as the nth.
func (s Settings) listen(nth int) string {
	if s.Port == 0 {
		return "127.0.0.1:0"
	}
	return fmt.Sprint("127.0.0.1:", s.Port+nth)
}

// Play starts the sandbox, merges the first pull request, and prints events to out until the context ends. It removes
// all its files at the end.
func Play(ctx context.Context, out io.Writer, s Settings) (err error) {
	dir, err := os.MkdirTemp("", "waybill-sandbox-")
	if err != nil {
		return fmt.Errorf("make a folder for the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	github, err := githubsim.Start(githubsim.Options{Addr: s.listen(0), Unchecked: true, OAuth: signIn})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, github.Close()) }()
	installation, err := found(github)
	if err != nil {
		return err
	}
	chat, ids, err := foundSlack()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chat.Close()) }()
	quiet := zerolog.Nop()
	c := settings(github, filepath.Join(dir, "waybill.db"))
	c.Listen = s.listen(1)
	c.Slack, c.AllowedOwners = slackSettings(chat), []promotion.Actor{{Login: promotion.Login(ownerOf(deployRepo))}}
	token, err := grant(&c, filepath.Join(dir, "tokens"), promotion.Actor{ID: github.AccountID(speaker), Login: speaker})
	if err != nil {
		return err
	}
	p, err := start(quiet.WithContext(ctx), github, c, app.World{OpenReads: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.kill()) }()
	chat.SetRequestURL(p.url)
	if err := linkAccounts(ctx, p.store, github, ids, linked...); err != nil {
		return err
	}
	tale, err := newTale(out, github, p)
	if err != nil {
		return err
	}
	builds := &ci{github: github, took: checkTime}
	clusters := newFleet(github, checkTime, builds.Waits)
	github.ShowPages(pages.New(sights(github, chat, builds, rings{clusters, p, tale.pipeline})))
	tale.welcome(token)
	go builds.run(ctx)
	go clusters.run(ctx)
	if _, err := p.Rest(ctx); err != nil {
		return ignoreEnd(ctx, err)
	}
	if err := openPulls(github); err != nil {
		return err
	}
	if s.Connect != "" {
		defer func() { err = errors.Join(err, os.Remove(s.Connect)) }()
		if err := writeConnection(s.Connect, github, p, installation, token); err != nil {
			return err
		}
	}
	if _, err := github.MergePull(sourceRepo, firstPull, "ann", "squash"); err != nil {
		return err
	}
	return ignoreEnd(ctx, tale.narrate(ctx))
}

// sights returns the data of the sandbox's pages.
func sights(github *githubsim.Server, chat *slacksim.Server, builds *ci, prod rings) pages.Sandbox {
	return pages.Sandbox{
		GitHub: github, Slack: chat, Waybill: prod.program.url, Home: deployRepo, People: people, Tries: tries, CI: builds,
		Fleet: prod,
	}
}

// speaker is the login in whose name the token gives commands over the API.
const speaker = "ann"

// grant creates a token that may do everything in the name of one person, for newcomers who want to use the API.
func grant(c *config.Server, file string, as promotion.Actor) (secret string, err error) {
	t, secret, err := api.NewToken(api.Token{Name: "sandbox", Scope: api.Operate, As: as})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(t.Line()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the sandbox's token: %w", err)
	}
	c.APITokensFile = file
	return secret, nil
}

// ignoreEnd returns err, or nil if the context has ended.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
