package sandbox

import (
	"context"
	"fmt"
	"io"
	"time"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

func welcome(out io.Writer, github *githubsim.Server, p *program) {
	fmt.Fprintf(out, `Waybill sandbox. Nothing here leaves this machine, and nothing is left behind.

  GitHub (simulated)  %[1]s/%[2]s
  pipeline            %[1]s/%[2]s/blob/main/.github/waybill.yml
  Waybill             %[3]s/healthz  %[3]s/metrics

  api is verified in dev, then in staging-a and staging-b, soaks there for 30 s, and goes to prod.
  ann merges pull request %[1]s/%[4]s/pull/142

`, github.URL(), deployRepo, p.url, sourceRepo)
}

// narrate tells what is decided and done, and says when the first freight has arrived.
func narrate(ctx context.Context, out io.Writer, github *githubsim.Server, p *program) error {
	var last int64
	arrived := false
	for pause(ctx, glance) {
		err := p.store.View(ctx, func(tx *store.Tx) error {
			events, err := tx.Events(0, last, 1000)
			if err != nil {
				return err
			}
			for _, e := range events {
				last = e.Seq
				if err := narrateOne(tx, out, github, e); err != nil {
					return err
				}
				if !arrived && e.Stage == "prod" && e.Word == string(promotion.Succeeded) {
					arrived = true
					farewell(out, github, p)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// narrateOne prints one line: when, where, what, why, and where to look.
func narrateOne(tx *store.Tx, out io.Writer, github *githubsim.Server, e store.Event) error {
	if e.Kind != store.EventState && e.Kind != store.EventStage && e.Kind != store.EventEffect {
		return nil
	}
	what, link := e.Word, ""
	var p promotion.Promotion
	if e.Promotion != 0 {
		var err error
		if p, _, err = tx.Promotion(e.Promotion); err != nil {
			return err
		}
	}
	switch {
	case e.Kind == store.EventEffect && promotion.Verb(e.Word) == promotion.Open:
		a, err := tx.Attempt(e.Promotion)
		if err != nil {
			return err
		}
		what, link = "opened its pull request", fmt.Sprintf("%s/%s/pull/%d", github.URL(), deployRepo, a.Pull)
	case e.Kind == store.EventEffect && promotion.Verb(e.Word) == promotion.Tell:
		what, link = "told on its source", fmt.Sprintf("%s/%s/pull/142", github.URL(), sourceRepo)
	case e.Kind == store.EventEffect:
		return nil
	case e.Word == string(promotion.Verifying):
		what, link = "merged, verifying", fmt.Sprintf("%s/%s/commit/%.7s", github.URL(), deployRepo, e.SHA)
	}
	if !e.Reason.IsZero() {
		what += ": " + e.Reason.Sentence()
	}
	_, err := fmt.Fprintf(out, "%s  %-10s %-8s %-24s %s\n", e.At.Local().Format(time.TimeOnly), e.Stage, p.FreightName, what, link)
	return err
}

func farewell(out io.Writer, github *githubsim.Server, p *program) {
	fmt.Fprintf(out, `
api#142 is in prod. The sandbox stays up; look around, or make something happen:

  every pull request and commit   %[1]s/%[2]s
  what Waybill writes on checks   %[1]s/%[3]s/commits
  what it counts                  %[4]s/metrics

Ctrl-C ends it.
`, github.URL(), deployRepo, sourceRepo, p.url)
}
