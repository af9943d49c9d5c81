//go:build record

// Play compares a real Slack with the simulator, in a workspace of whoever runs it. CONFORMANCE.md says what to
// prepare.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	github "waybill/internal/githubsim/record"
	"waybill/internal/slacksim/record"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	host := record.Host{BotToken: os.Getenv("SLACK_BOT_TOKEN"), AppToken: os.Getenv("SLACK_APP_TOKEN")}
	flag.StringVar(&host.API, "api", "https://slack.com/api/", "address of the methods")
	flag.StringVar(&host.Channel, "channel", "", "id of a channel that the bot is in")
	flag.StringVar(&host.Person, "person", "", "id of a member, who gets three messages")
	flag.Parse()
	there := record.Record(ctx, host)
	server, simulated, err := record.Simulator()
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
	differs := github.Differences(there, record.Record(ctx, simulated))
	for _, line := range differs {
		fmt.Println(line)
	}
	fmt.Printf("%d plays, %d lines differ\n", len(there.Plays), len(differs))
	if err := server.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
