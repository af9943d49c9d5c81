// Package sandbox runs the whole of Waybill against a simulated GitHub in one process: for a newcomer who wants to see it
// work without an account (Play), and for stories that are played on the real program (World).
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

	"waybill/internal/githubsim"
)

// checkTime is how long the sandbox's CI takes for a check.
const checkTime = 1500 * time.Millisecond

// Play starts the sandbox, sends the first freight on its way to prod, and tells on out what happens until the context
// ends. Nothing is left behind.
func Play(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "waybill-sandbox-")
	if err != nil {
		return fmt.Errorf("make a folder for the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, github.Close()) }()
	if err := found(github); err != nil {
		return err
	}
	quiet := zerolog.Nop()
	p, err := start(quiet.WithContext(ctx), github, filepath.Join(dir, "waybill.db"), time.Now, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.kill()) }()
	welcome(out, github, p)
	go ci{github: github, took: checkTime}.run(ctx)
	if _, err := p.Rest(ctx); err != nil {
		return ignoreEnd(ctx, err)
	}
	if err := firstFreight(github); err != nil {
		return err
	}
	return ignoreEnd(ctx, narrate(ctx, out, github, p))
}

// firstFreight merges a pull request of the application.
func firstFreight(github *githubsim.Server) error {
	n, err := github.OpenPull(sourceRepo, githubsim.PullSpec{
		Number: 142, Title: "Greet by name", Head: "greet-by-name", Author: "ann",
		Files: map[string]*string{"services/api/main.go": githubsim.Text("package main\n\nfunc main() { println(\"hello, you\") }\n")},
	})
	if err != nil {
		return err
	}
	_, err = github.MergePull(sourceRepo, n, "ann", "squash")
	return err
}

// ignoreEnd returns the error unless it only says that the context has ended.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
