package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/promotion/command"
)

// lookInterval is how often a command that waits or watches asks the server.
const lookInterval = 2 * time.Second

func waitCommand(getenv func(string) string) *cobra.Command {
	w := wait{every: lookInterval}
	cmd := &cobra.Command{
		Use:   "wait STAGES [FREIGHT]",
		Short: "Wait until freight is verified in a stage, or fails there",
		Long: "Waits until a stage hosts the freight and it has passed its verification there; freight of the same " +
			"warehouse that\ncame after it counts too. Without FREIGHT it waits until the stage is at rest: nothing is under " +
			"way or queued, and all\nthat it hosts has passed. Each time the reason changes it prints a line.\n" +
			ofStages + " Of several it waits for all that there are now, and ends when one of them fails.\n" +
			"Exits with 0 if it passed, 1 if it failed or will not come by itself, 2 if the command line is wrong, 3 if the " +
			"time is\nover, 4 if the token is missing or does not allow it, " +
			"5 if the server does not answer, or says to try\nagain later.",
		Example: "  waybill do promote prod api#142 && waybill wait prod api#142 --for 30m\n  waybill wait prod --json\n" +
			"  waybill wait '*-prod' api#142",
		Args: words(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if w.most < 0 {
				return misused("--for takes %s, not %q", flagTakes["duration"], w.most)
			}
			s, err := w.server(getenv)
			if err != nil {
				return err
			}
			w.stages = args[0]
			if len(args) > 1 {
				w.freight = args[1]
			}
			return w.run(cmd.Context(), s, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = w.completePlaces(getenv, 1)
	w.flags(cmd)
	w.repoFlag(cmd, getenv)
	cmd.Flags().DurationVar(&w.most, "for", time.Hour, "wait at most for a `DURATION` such as 30m or 2h")
	return cmd
}

// wait is one run of the command.
type wait struct {
	remote
	stages, freight string
	most, every     time.Duration
}

// waited is how a stage stands that is waited for: the answer that --json prints.
type waited struct {
	Outcome string          `json:"outcome"` // passed, failed or waiting
	Text    string          `json:"text"`
	Stage   api.StageDetail `json:"stage"`
}

// waitedAll is the answer for a word that may name several stages.
type waitedAll struct {
	Outcome string   `json:"outcome"` // passed, failed or waiting
	Text    string   `json:"text"`
	Stages  []waited `json:"stages"`
}

func (w *wait) run(ctx context.Context, s *server, p *page) error {
	repo, err := w.pipeline(ctx, s)
	if err != nil {
		return err
	}
	names, several := []string{w.stages}, command.Several(w.stages)
	if several {
		named, err := s.stagesNamed(ctx, repo, w.stages)
		if err != nil {
			return err
		}
		names = namesOf(named.Stages)
	}
	over := time.Now().Add(w.most)
	all := make([]waited, len(names))
	for first := true; ; first = false {
		err := w.look(ctx, s, repo, names, all, p)
		if err != nil && (first || codeOf(err) != codeUnreachable || !time.Now().Before(over)) {
			return err
		}
		last := together(all)
		if code, ended := endOf(last.Outcome); ended || p.err != nil || !time.Now().Before(over) {
			var answer any = last
			if !several {
				answer = all[0]
			}
			return errors.Join(w.print(p, answer, func() {}), code) // people have read it
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(w.every, time.Until(over))):
		}
	}
}

// look judges each stage, and prints what has changed. One that freight has come to is not asked about again.
func (w *wait) look(ctx context.Context, s *server, repo string, names []string, all []waited, p *page) error {
	for i, name := range names {
		if w.freight != "" && all[i].Outcome == passed {
			continue
		}
		var stage api.StageDetail
		if err := s.get(ctx, pipelinePath(repo, "stages", name)+"?limit=100", &stage); err != nil {
			return s.suggest(ctx, err, repo, name)
		}
		now := w.judge(stage)
		if now.Text != all[i].Text && !w.json {
			text := now.Text
			if len(names) > 1 {
				text = now.named()
			}
			p.now = stage.At
			p.line(0, toneOfWait(now.Outcome), p.clock(stage.At)+" "+text)
		}
		all[i] = now
	}
	return nil
}

// named is the text with the stage that it is about.
func (w waited) named() string {
	if strings.HasPrefix(w.Text, w.Stage.Name+" ") {
		return w.Text
	}
	return w.Stage.Name + ": " + w.Text
}

// together says how stages stand that are waited for together: one that failed has failed for all.
func together(all []waited) waitedAll {
	if len(all) == 1 {
		return waitedAll{all[0].Outcome, all[0].Text, all}
	}
	done := 0
	for _, one := range all {
		switch one.Outcome {
		case failed:
			return waitedAll{failed, one.named(), all}
		case passed:
			done++
		}
	}
	if done < len(all) {
		return waitedAll{waiting, fmt.Sprintf("%d of %d stages have passed", done, len(all)), all}
	}
	return waitedAll{passed, fmt.Sprintf("all %d stages have passed", done), all}
}

func namesOf(stages []api.Stage) (names []string) {
	for _, s := range stages {
		names = append(names, s.Name)
	}
	return names
}

const (
	passed  = "passed"
	failed  = "failed"
	waiting = "waiting"
)

// endOf is the exit code for an outcome, and whether waiting is over by it.
func endOf(outcome string) (code error, ended bool) {
	switch outcome {
	case passed:
		return nil, true
	case failed:
		return codeRefused, true
	}
	return codeTimeOver, false
}

func toneOfWait(outcome string) tone {
	if outcome == waiting {
		return waits
	}
	return toneOf(outcome)
}

// judge says whether what is waited for has happened in a stage.
func (w *wait) judge(s api.StageDetail) waited {
	outcome, text := atRest(s.Stage)
	if w.freight != "" {
		outcome, text = arrived(s, w.freight)
	}
	return waited{outcome, text, s}
}

// atRest reports whether everything that a stage hosts has passed, and nothing else is on its way.
func atRest(s api.Stage) (outcome, text string) {
	if s.Active != nil {
		return waiting, named(*s.Active)
	}
	if len(s.Queue) > 0 {
		return waiting, named(s.Queue[0])
	}
	if len(s.Hosts) == 0 {
		return waiting, s.Name + " hosts nothing yet"
	}
	var names []string
	for _, h := range s.Hosts {
		if h.Verdict != passed {
			return ofVerdict(s.Name, h)
		}
		names = append(names, h.Freight)
	}
	return passed, s.Name + " has " + strings.Join(names, ", ") + ", verified"
}

// arrived reports whether freight has passed in a stage, or is not going to.
func arrived(s api.StageDetail, freight string) (outcome, text string) {
	at := slices.IndexFunc(s.Freight, func(f api.Standing) bool { return means(f, freight) })
	if at < 0 {
		return waiting, fmt.Sprintf("%s is not among the newest freight of %s", freight, s.Name)
	}
	f := s.Freight[at]
	for _, h := range s.Hosts {
		// Standings are listed newest first: what stands before it came after it.
		ahead := slices.IndexFunc(s.Freight, func(o api.Standing) bool { return o.FreightID == h.FreightID })
		switch {
		case h.FreightID == f.FreightID:
			return ofVerdict(s.Name, h)
		case h.Warehouse == f.Warehouse && ahead >= 0 && ahead < at && h.Verdict == passed:
			return passed, fmt.Sprintf("%s has %s, which came after %s and is verified", s.Name, h.Freight, f.Freight)
		}
	}
	text = f.Freight + ": " + f.Why.Sentence
	switch {
	case f.State == "succeeded":
		return passed, text
	case f.Place == "ended":
		return failed, text
	}
	return waiting, text
}

// means reports whether freight is called so: by its name, or by the number of its pull request.
func means(f api.Standing, name string) bool {
	return f.Freight == name || f.Freight == f.Warehouse+name
}

// ofVerdict says what became of freight that a stage hosts.
func ofVerdict(stage string, h api.Hosted) (outcome, text string) {
	text = fmt.Sprintf("%s has %s, %s", stage, h.Freight, verdictWord(h.Verdict))
	if h.Cause != nil {
		text += ": " + h.Cause.Sentence + after("; see ", h.Cause.URL)
	}
	switch h.Verdict {
	case passed:
		return passed, text
	case "pending":
		return waiting, text
	}
	return failed, text
}
