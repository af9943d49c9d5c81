// Package sandbox runs the whole of Waybill against a simulated GitHub in one process: for a newcomer who wants to see
// it work without an account (Play), and for stories that are played on the real program (World).
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

// checkTime is how long the sandbox's CI takes for a check.
const checkTime = 1500 * time.Millisecond

// Play starts the sandbox, sends the first freight on its way to prod, and tells on out what happens until the context
// ends. If connect is not empty, other programs find in the file of that name how to reach the simulated GitHub.
// Nothing is left behind.
func Play(ctx context.Context, out io.Writer, connect string) (err error) {
	dir, err := os.MkdirTemp("", "waybill-sandbox-")
	if err != nil {
		return fmt.Errorf("make a folder for the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	github, err := githubsim.Start(githubsim.Options{Unchecked: true, OAuth: signIn})
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
	c.Slack = slackSettings(chat)
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
	if connect != "" {
		defer func() { err = errors.Join(err, os.Remove(connect)) }()
		if err := writeConnection(connect, github, p, installation, token); err != nil {
			return err
		}
	}
	if _, err := github.MergePull(sourceRepo, firstPull, "ann", "squash"); err != nil {
		return err
	}
	return ignoreEnd(ctx, tale.narrate(ctx))
}

// sights is what there is to see and to try.
func sights(github *githubsim.Server, chat *slacksim.Server, builds *ci, prod rings) pages.Sandbox {
	return pages.Sandbox{
		GitHub: github, Slack: chat, Waybill: prod.program.url, Home: deployRepo, People: people, Tries: tries, CI: builds,
		Fleet: prod,
	}
}

// speaker gives the commands that come over the API.
const speaker = "ann"

// grant makes a token that opens everything and acts for somebody, for whoever wants more of the sandbox than to look
// on.
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

// ignoreEnd returns the error unless it only says that the context has ended.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
