package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

// tale prints to out the events in the sandbox.
type tale struct {
	out      io.Writer
	github   *githubsim.Server
	program  *program
	pipeline *promotion.Pipeline
	last     int64           // sequence number of the last audit event that was read
	waits    map[string]bool // waits for a time that were printed, by stage and freight
	arrived  bool            // the first freight is in prod
}

func newTale(out io.Writer, github *githubsim.Server, p *program) (*tale, error) {
	text, _ := github.File(deployRepo, "main", config.PipelinePath)
	policy, _ := github.File(deployRepo, "main", config.PolicyPath)
	pipeline, problems := config.Load(config.Sources{
		Home: deployRepo, Branch: "main",
		PipelineName: config.PipelinePath, Pipeline: []byte(text), PolicyName: config.PolicyPath, Policy: []byte(policy),
	})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return &tale{out: out, github: github, program: p, pipeline: pipeline, waits: map[string]bool{}}, nil
}

func (t *tale) welcome(token string) {
	fmt.Fprintf(t.out, "Waybill sandbox: %s\nNothing here leaves this machine, and nothing is left behind. Open it in a "+
		"browser, and try:\n\n", t.github.URL())
	for i, one := range tries {
		fmt.Fprintf(t.out, "  %d. %s\n     %s%s\n", i+1, one.Text, t.github.URL(), one.Link)
	}
	fmt.Fprintf(t.out, `
  the pipeline        %[1]s/pipelines/%[2]s
  what is where, why  waybill status --server %[1]s
  a command, as %[6]s   WAYBILL_API_TOKEN=%[7]s waybill do "hold prod" --server %[1]s
  the same as JSON    curl %[1]s/api/v1/pipelines/%[2]s
  Waybill             %[1]s/healthz  %[1]s/metrics

  api is verified in dev, then in staging-a and staging-b, soaks there for 30 s, and rolls out over
  the seven clusters of prod: %[3]s/-/clusters
  ann merges %[3]s/%[4]s/pull/%[5]d

`, t.program.url, deployRepo, t.github.URL(), sourceRepo, firstPull, speaker, token)
}

// narrate prints new events until the context ends.
func (t *tale) narrate(ctx context.Context) error {
	for pause(ctx, glance) {
		if err := t.program.store.View(ctx, t.tellNews); err != nil {
			return err
		}
	}
	return nil
}

// tellNews prints the audit events since the last call.
func (t *tale) tellNews(tx *store.Tx) error {
	row, err := tx.Pipelines.ByRepo(deployRepo)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the pipeline is not known yet
	}
	if err != nil {
		return err
	}
	events, err := tx.Audit.Events(row.ID, t.last, 1000)
	if err != nil {
		return err
	}
	for _, e := range events {
		t.last = e.Seq
		if err := t.tell(tx, e); err != nil {
			return err
		}
	}
	return nil
}

// tell prints one event: time, stage, freight, text and link. It prints the farewell when the first freight is in prod.
func (t *tale) tell(tx *store.Tx, e store.Event) error {
	var p promotion.Promotion
	if e.Promotion != 0 {
		var err error
		if p, err = tx.Promotions.ByNumber(e.Pipeline, e.Promotion); err != nil {
			return err
		}
	}
	what, link, err := t.told(tx, e, p)
	if err != nil || what == "" {
		return err
	}
	t.line(e.At, e.Stage, p.Freight.Name, what, link)
	if e.Word != string(promotion.Succeeded) {
		return nil
	}
	if e.Stage == "prod" && !t.arrived {
		t.arrived = true
		t.farewell()
	}
	return t.tellWaits(tx, e, p)
}

// told returns the text and the link of an event; "" for one that is not printed. Of a promotion it prints what it
// waits for, the batches of its rollout, and its end.
func (t *tale) told(tx *store.Tx, e store.Event, p promotion.Promotion) (what, link string, err error) {
	switch {
	case e.Kind == store.EventEffect:
		return t.effect(tx, e, p)
	case e.Kind == store.EventStage:
		return strings.TrimSpace(e.Text + " " + outcome(e)), "", nil
	case e.Kind != store.EventState:
		return "", "", nil
	case e.Word == string(promotion.Queued):
		what, err := t.queued(tx, e, p)
		return what, "", err
	case promotion.State(e.Word).Ended():
		a, err := tx.Attempts.Of(e.Pipeline, e.Promotion)
		return fmt.Sprintf("%s after %s", outcome(e), e.At.Sub(p.Queued).Round(time.Second)), a.Made.URL, err
	case e.Reason.IsZero():
		return "", "", nil
	}
	return outcome(e), "", nil
}

// queued says why a promotion that was queued by e still waits; "" if it does not.
func (t *tale) queued(tx *store.Tx, e store.Event, p promotion.Promotion) (string, error) {
	s, err := tx.Ledger.Snapshot(t.pipeline, store.StageKey{Pipeline: e.Pipeline, Stage: e.Stage}, p.Freight.ID)
	if err != nil || p.State != promotion.Queued {
		return "", err
	}
	if r := decide.Why(s, p.Freight.ID, e.At).Reason; !r.IsZero() {
		return e.Word + ": " + say.Sentence(r), nil
	}
	return "", nil
}

// outcome returns the word of an event, with its reason.
func outcome(e store.Event) string {
	switch {
	case e.Reason.IsZero():
		return e.Word
	case e.Reason.Code == promotion.FailedCheck:
		return e.Word + ": " + strings.Join(e.Reason.Args, ", ")
	}
	return e.Word + ": " + say.Sentence(e.Reason)
}

// effect returns the text and the link of an effect that was carried out.
func (t *tale) effect(tx *store.Tx, e store.Event, p promotion.Promotion) (what, link string, err error) {
	switch promotion.Verb(e.Word) {
	case promotion.Tell:
		f, err := tx.Freight.ByID(e.Pipeline, p.Freight.ID)
		if f.Pull == 0 {
			return "", "", err // it has no pull request, only a check run
		}
		return "told on its source", t.pullURL(string(f.Repo), f.Pull), err
	case promotion.Reply:
		e.Word = "answered, " + e.Text
		if strings.HasPrefix(e.Source, "slack:") {
			return outcome(e), t.github.URL() + "/-/slack", nil
		}
		on := pullOf(e.Source)
		if on.Number == 0 {
			return outcome(e), "", nil // the command came over the API
		}
		return outcome(e), t.pullURL(string(on.Repo), on.Number), nil
	}
	return "", "", nil
}

func (t *tale) pullURL(repo string, number int) string {
	return fmt.Sprintf("%s/%s/pull/%d", t.github.URL(), repo, number)
}

// tellWaits prints the stages that wait only for a time before they take the freight that was just verified.
func (t *tale) tellWaits(tx *store.Tx, e store.Event, p promotion.Promotion) error {
	for _, stage := range t.pipeline.Stages {
		s, err := tx.Ledger.Snapshot(t.pipeline, store.StageKey{Pipeline: e.Pipeline, Stage: stage.Name}, p.Freight.ID)
		if err != nil {
			return err
		}
		at := decide.Why(s, p.Freight.ID, e.At)
		key := string(stage.Name) + " " + string(p.Freight.ID)
		if at.Place != promotion.PlaceUnavailable || at.Until.IsZero() || t.waits[key] {
			continue
		}
		t.waits[key] = true
		what := fmt.Sprintf("waits until %s: %s", at.Until.Local().Format(time.TimeOnly), say.Sentence(at.Reason))
		t.line(e.At, stage.Name, p.Freight.Name, what, "")
	}
	return nil
}

func (t *tale) line(at time.Time, stage promotion.StageName, freight, what, link string) {
	line := fmt.Sprintf("%s  %-10s %-8s %-23s  %s", at.Local().Format(time.TimeOnly), stage, freight, what, link)
	fmt.Fprintln(t.out, strings.TrimRight(line, " "))
}

func (t *tale) farewell() {
	fmt.Fprintf(t.out, `
api#%[4]d is in prod. Look around:

  its way, as checks              %[1]s/%[3]s/pull/%[4]d/checks
  what Waybill opened and merged  %[1]s/%[2]s

Ctrl-C ends the sandbox.

`, t.github.URL(), deployRepo, sourceRepo, firstPull)
}
