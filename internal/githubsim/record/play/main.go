//go:build record

// Play plays what CONFORMANCE.md calls assumed against a real GitHub, with a test App and a scratch repository, and
// prints what differs from the simulator. That page says what to prepare.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim/record"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	api := flag.String("api", "https://api.github.com", "address of the REST API")
	app := flag.Int64("app", 0, "id of the test App")
	key := flag.String("key", "", "file with the App's private key")
	repo := flag.String("repo", "", "the scratch repository, owner/name")
	large := flag.String("large", "", "a public repository with a long history, owner/name")
	out := flag.String("out", "recording.json", "file for the exchanges, without secrets")
	only := flag.String("play", "", "play this one only: "+strings.Join(record.Names(), ", "))
	flag.Parse()
	pem, err := os.ReadFile(*key)
	if err != nil {
		return err
	}
	var names []string
	if *only != "" {
		names = []string{*only}
		if !slices.Contains(record.Names(), *only) {
			return fmt.Errorf("there is no play %q: the plays are %s", *only, strings.Join(record.Names(), ", "))
		}
	}
	there, failed := record.Record(ctx, record.Host{
		API: *api, GraphQL: strings.TrimSuffix(*api, "/v3") + "/graphql", AppID: *app, Key: pem, Repo: *repo, Large: *large,
		Pause: 2 * time.Second,
	}, names...)
	if failed != nil && len(there.Plays) == 0 {
		return failed
	}
	stored, err := json.MarshalIndent(there, "", "  ")
	if err == nil {
		err = os.WriteFile(*out, stored, 0o600)
	}
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	server, host, err := record.Simulator()
	if err != nil {
		return err
	}
	defer server.Close()
	ours, err := record.Record(ctx, host, names...)
	if err != nil {
		return fmt.Errorf("the simulator: %w", err)
	}
	differs := record.Differences(there, ours)
	for _, line := range differs {
		fmt.Println(line)
	}
	fmt.Printf("%d plays, %d lines differ; the exchanges are in %s\n", len(there.Plays), len(differs), *out)
	return nil
}
