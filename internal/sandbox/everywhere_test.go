package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"waybill/config"
	"waybill/internal/slacksim"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// TestEveryCommandDoesWhereverItExistsWhatItSaysAndForWhoMayNotNothing gives each command of the table on each surface
// that has it: first as a person who lacks the right, then as a person who has it. One program serves all trials, and
// each command that changes something has a stage of its own name in it.
func TestEveryCommandDoesWhereverItExistsWhatItSaysAndForWhoMayNotNothing(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	c.newFreight()
	c.do("comment #1 by bob: /promote rollback", "check rollback success on rollback")
	for _, s := range surfaces {
		c.newFreight()
		for _, u := range command.Commands {
			if !s.has(u) {
				continue
			}
			t.Run(string(u.Verb)+" "+s.name, func(t *testing.T) {
				c.t = t
				c.try(s, u.Verb)
			})
		}
	}
}

// trial describes how a test shows that a command has an effect.
type trial struct {
	words  string         // the command as a person types it
	before string         // the command that bob gives first on the newest pull request; empty: none
	set    func(c *crowd) // further preparation
	does   []string       // the lines of world that differ afterwards
	says   string         // a part of the answer in words
}

var trials = map[promotion.CommandVerb]trial{
	promotion.CmdPromote: {words: "promote promote", does: []string{"+promote succeeded by ann"},
		says: "goes to promote, by promotion"},
	promotion.CmdApprove: {words: "approve approve", before: "/promote approve", does: []string{
		"-approve waiting-for-merge by bob", "+approve succeeded by bob", "+sign-off of approve by ann"},
		says: "ann has signed off promotion"},
	promotion.CmdDeny: {words: "deny deny", before: "/promote deny", does: []string{
		"-deny waiting-for-merge by bob", "+deny cancelled by bob"}, says: "to deny; it has ended"},
	promotion.CmdAdmit: {words: `admit #%d admit --because "it is urgent"`, does: []string{"+admit of admit by ann"},
		says: "is available to admit, until"},
	promotion.CmdReject: {words: `reject #%d reject --because "it is bad"`, does: []string{"+reject of reject by ann"},
		says: "is rejected in reject"},
	promotion.CmdUnreject: {words: "unreject #%d unreject", before: "/reject unreject --because bad",
		does: []string{"-reject of unreject by bob"}, says: "is rejected no more in unreject"},
	promotion.CmdFixes: {words: "fixes #%d fixes", set: (*crowd).rejected, does: []string{
		"-reject of fixes by bob", "+reject of fixes by bob, repaired"}, says: "repairs what was rejected in fixes"},
	promotion.CmdRollback: {words: "rollback rollback", set: (*crowd).badFreight, does: []string{
		"-rollback hosts failed", "+rollback hosts unjudged", "+rollback verifying by ann", "+hold of rollback by nobody"},
		says: "rollback goes back to"},
	promotion.CmdHold: {words: "hold hold", set: (*crowd).letGo, does: []string{"+hold of hold by ann"},
		says: "hold is held until somebody lifts the hold"},
	promotion.CmdUnhold: {words: "unhold unhold", set: (*crowd).held, does: []string{"-hold of unhold by ann"},
		says: "The hold of unhold is lifted"},
	promotion.CmdCancel: {words: "cancel cancel", before: "/promote cancel", does: []string{
		"-cancel waiting-for-merge by bob", "+cancel cancelled by bob"}, says: "to cancel, is cancelled"},
	promotion.CmdRetry: {words: "retry retry", set: (*crowd).closed, does: []string{"+retry waiting-for-merge by ann"},
		says: "once more"},
	promotion.CmdPause: {words: "pause pause", set: (*crowd).rolling, does: []string{"+pause paused by ann"},
		says: "in pause is paused until somebody resumes it"},
	promotion.CmdResume: {words: "resume resume", set: (*crowd).paused, does: []string{"-resume paused by bob"},
		says: "in resume goes on"},
	promotion.CmdSkip: {words: "skip skip/eu-1", set: (*crowd).begun, does: []string{"+skip skips [eu-1]"},
		says: "leaves out skip/eu-1"},
	promotion.CmdVerify: {words: "verify verify", set: (*crowd).condemned,
		does: []string{"-verify hosts failed", "+verify hosts passed"}, says: "GitHub was asked again about api#"},
	promotion.CmdVerdict: {words: `verdict verdict pass --because "I have seen it"`, before: "/promote verdict",
		does: []string{
			"-verdict verifying by bob", "+verdict succeeded by bob", "-verdict hosts unjudged", "+verdict hosts passed"},
		says: "in verdict is good"},
	promotion.CmdRefresh: {words: "refresh", does: []string{"-resynced", "+resynced"},
		says: "is being compared with GitHub"},
	promotion.CmdPlan:    {words: "plan promote", says: "promote.yaml"},
	promotion.CmdStatus:  {words: "status promote", says: "promote"},
	promotion.CmdWhy:     {words: "why promote", says: "promote"},
	promotion.CmdHistory: {words: "history promote", says: "promote"},
	promotion.CmdWhere:   {words: "where #%d", says: "promote"},
	promotion.CmdHelp:    {words: "help promote", says: "Queues a promotion"},
}

// surface is a place where people give commands.
type surface struct {
	name string
	has  func(command.Usage) bool
	give func(c *crowd, login string, verb promotion.CommandVerb, words string) (answer string)
	mute bool // a change gets no answer in words, or the new state takes its place
	late bool // the button must be shown before it can be pressed
	once bool // a person without the right gets one refusal an hour
}

var surfaces = []surface{
	{name: "in a comment", has: typed, once: true,
		give: func(c *crowd, login string, _ promotion.CommandVerb, words string) string {
			return c.comment(login, "/"+words)
		}},
	{name: "in a review", has: by(command.InReview), give: (*crowd).review, once: true},
	{name: "by label", has: by(command.ByLabel), give: (*crowd).label, mute: true, once: true},
	{name: "on a check run", has: by(command.OnCheck), give: (*crowd).pressOnCheck, mute: true, late: true},
	{name: "in Slack", has: typed, give: (*crowd).slash},
	{name: "in a thread of Slack", has: typed, give: (*crowd).mention},
	{name: "by a button in Slack", has: by(command.InSlack), give: (*crowd).pressInSlack, late: true},
	{name: "over the API", has: typed, give: (*crowd).overAPI},
	{name: "in a comment and in Slack at once", has: changes, give: (*crowd).twice, mute: true, once: true},
}

func typed(command.Usage) bool     { return true }
func changes(u command.Usage) bool { return !command.IsQuestion(u.Verb) }
func by(m command.Means) func(command.Usage) bool {
	return func(u command.Usage) bool { return command.GivenBy(u.Verb, m) }
}

// try gives a command on a surface as a person without the right, then as ann.
func (c *crowd) try(s surface, verb promotion.CommandVerb) {
	c.t.Helper()
	if c.tried++; c.tried%8 == 0 {
		c.do("wait 1h") // Waybill answers ten readers of a repository an hour
		c.newFreight()
	}
	trial, known := trials[verb]
	require.True(c.t, known, "nothing shows what /%s does: add it to the trials", verb)
	if trial.before != "" {
		c.do(fmt.Sprintf("comment #%d by bob: %s", c.n, trial.before))
	}
	if trial.set != nil {
		trial.set(c)
	}
	if s.late {
		c.do("wait 1m")
	}
	words := strings.ReplaceAll(trial.words, "%d", fmt.Sprint(c.n))

	before := c.world()
	stranger := "eve"
	if s.once {
		stranger = c.stranger()
	}
	refusal := s.give(c, stranger, verb, words)
	require.Contains(c.t, refusal, "Refused: that needs write permission")
	require.Equal(c.t, before, c.world(), "nothing happens for who may not")

	answer := s.give(c, "ann", verb, words)
	require.ElementsMatch(c.t, trial.does, difference(before, c.world()), answer)
	if !s.mute {
		require.Contains(c.t, asSeen(answer), trial.says)
	}
}

// crowd is an office in which ann and bob have every right, and all others may only read or triage.
type crowd struct {
	*office
	n         int // the newest source pull request
	tried     int // the number of commands tried so far
	strangers int
	eve       string // her user in Slack
	keys      map[string]string
}

func newCrowd(t *testing.T) *crowd {
	stages := map[promotion.CommandVerb]string{
		promotion.CmdApprove: "approvals: 1", promotion.CmdDeny: "approvals: 1", promotion.CmdHold: "approvals: 1",
		promotion.CmdUnhold: "approvals: 1", promotion.CmdAdmit: "after: cancel", promotion.CmdRollback: "verify: [rollback]",
		promotion.CmdVerify: "verify: [verify]", promotion.CmdPause: "approvals: 1, targets: [eu-1, us-1]",
		promotion.CmdResume:  "approvals: 1, targets: [eu-1, us-1]",
		promotion.CmdSkip:    "approvals: 1, targets: [eu-1, us-1]",
		promotion.CmdVerdict: "verify: [{check: verdict, appear: 24h, timeout: 48h}]",
	}
	var pipeline, policy strings.Builder
	pipeline.WriteString("version: 1\nwarehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\nstages:\n")
	policy.WriteString("version: 1\nstages: {cancel: {merge: manual}, retry: {merge: manual}}\nmay:\n")
	for _, u := range command.Commands {
		if !command.IsQuestion(u.Verb) {
			file := string(u.Verb)
			if strings.Contains(stages[u.Verb], "targets") {
				file += "-${target.name}"
			}
			fmt.Fprintf(&pipeline, "  %s: {from: api, set: {\"%s.yaml\": {tag: \"${api.short}\"}}", u.Verb, file)
			if command.GivenBy(u.Verb, command.InSlack) {
				pipeline.WriteString(`, slack: "#deploys"`)
			}
			if more := stages[u.Verb]; more != "" {
				pipeline.WriteString(", " + more)
			}
			pipeline.WriteString("}\n")
		}
		role := map[promotion.CommandVerb]string{promotion.CmdVerdict: "force"}[u.Verb]
		without := []promotion.CommandVerb{
			promotion.CmdRefresh, promotion.CmdReject, promotion.CmdUnreject, promotion.CmdFixes,
		}
		if !slices.Contains(without, u.Verb) {
			fmt.Fprintf(&policy, "  %s: [{permission: write}]\n", cmp.Or(role, string(u.Verb)))
		}
	}
	c := &crowd{
		office: newOffice(t, pipeline.String()+"-- "+config.PolicyPath+" --\n"+policy.String()), keys: map[string]string{},
	}
	require.NoError(t, errors.Join(c.meet("ann"), c.meet("eve")))
	c.joins("ann", "write")
	c.eve = c.joins("eve", "read")
	keys := c.withTokens(c.acting("ann"), c.acting("eve"))
	c.keys["ann"], c.keys["eve"] = keys[0], keys[1]
	c.slack.SetRequestURL(c.program.url)
	return c
}

// newFreight merges one more pull request.
func (c *crowd) newFreight() {
	c.t.Helper()
	c.n++
	c.do(fmt.Sprintf("merge #%d by bob", c.n), "wait 1m")
}

// stranger returns the login of a new person who may only triage.
func (c *crowd) stranger() string {
	c.t.Helper()
	c.strangers++
	login := fmt.Sprintf("eve-%d", c.strangers)
	c.triage(login)
	c.quiet()
	return login
}

// world lists all state that a command may change, one line for each fact.
func (c *crowd) world() (all []string) {
	c.t.Helper()
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	c.view(func(tx *store.Tx, pipeline int64) error {
		row, err := tx.Pipelines.ByID(pipeline)
		say("resynced at %s", row.Resynced)
		for _, stage := range c.script.Scene.Pipeline.Stages {
			s, wrong := c.snapshot(tx, stage.Name, "")
			require.NoError(c.t, wrong)
			for _, p := range s.Promotions {
				say("%s %s by %s", stage.Name, p.State, p.By.Login)
				if r := p.Rollout; r != nil && !r.Paused.Bot() {
					say("%s paused by %s", stage.Name, r.Paused.Login)
				}
				if r := p.Rollout; r != nil && len(r.Skipped) > 0 {
					say("%s skips %s", stage.Name, r.Skipped)
				}
			}
			for _, a := range s.Approvals {
				say("%s of %s by %s", a.Kind, stage.Name, a.By.Login)
			}
			for _, deployment := range s.Deployments {
				if !deployment.Ended() && len(stage.Targets[0].Verify) > 0 {
					say("%s hosts %s", stage.Name, cmp.Or(string(deployment.Verdict), "unjudged"))
				}
			}
		}
		holds, wrong := tx.Ledger.Holds(pipeline)
		for _, h := range holds {
			say("hold of %s by %s", h.Stage, cmp.Or(string(h.By.Login), "nobody"))
		}
		rejects, missing := tx.Ledger.Rejects(pipeline)
		for _, r := range rejects {
			repaired := map[bool]string{true: ", repaired"}[r.FixedBy != ""]
			say("reject of %s by %s%s", r.Stage, r.By.Login, repaired)
		}
		return errors.Join(err, wrong, missing)
	})
	return all
}

// rejected has bob reject the freight before the newest.
func (c *crowd) rejected() {
	c.do(fmt.Sprintf("comment #%d by bob: /reject api#%d fixes --because bad", c.n, c.n-1))
}

// difference lists the lines of after that before lacks, with "+", and those of before that after lacks, with "-".
func difference(before, after []string) (all []string) {
	for _, line := range after {
		if i := slices.Index(before, line); i >= 0 {
			before = slices.Delete(slices.Clone(before), i, i+1)
			continue
		}
		all = append(all, "+"+line)
	}
	for _, line := range before {
		all = append(all, "-"+line)
	}
	for i, line := range all {
		all[i], _, _ = strings.Cut(line, " at ")
	}
	return all
}

// newest returns the newest promotion of a stage, or the zero value if the stage has no promotion.
func (c *crowd) newest(stage promotion.StageName) (p promotion.Promotion) {
	c.t.Helper()
	c.view(func(tx *store.Tx, pipeline int64) error {
		some, err := tx.Promotions.Latest(store.StageKey{Pipeline: pipeline, Stage: stage}, 0, 1)
		if len(some) > 0 {
			p = some[0]
		}
		return err
	})
	return p
}

// asks writes a comment by login on the newest pull request.
func (c *crowd) asks(login, words string) {
	c.do(fmt.Sprintf("comment #%d by %s: %s", c.n, login, words))
}

// open makes sure that the stage has a promotion that has not ended.
func (c *crowd) open(stage promotion.StageName) {
	if p := c.newest(stage); p.Number == 0 || p.State.Ended() {
		c.asks("bob", "/promote "+string(stage))
	}
}

func (c *crowd) letGo() {
	c.open("hold")
	c.asks("ann", "/unhold hold")
}

// held has ann hold the stage unhold by the label on its promotion's pull request.
func (c *crowd) held() {
	c.open("unhold")
	pull := c.pull(c.newest("unhold").Number).Number
	require.NoError(c.t, c.github.RemoveLabel(home, pull, "ann", "waybill/hold"))
	c.quiet()
	require.NoError(c.t, c.github.AddLabel(home, pull, "ann", "waybill/hold"))
	c.quiet()
}

// badFreight lets new freight fail in the stage rollback, which is not held and has hosted good freight before.
func (c *crowd) badFreight() {
	c.asks("ann", "/unhold rollback")
	c.do("check rollback success on rollback")
	c.asks("bob", "/promote rollback")
	c.do("check rollback failure on rollback")
}

// closed has bob close the pull request of a promotion to the stage retry.
func (c *crowd) closed() {
	c.open("retry")
	c.do(fmt.Sprintf("close p%d by bob", c.newest("retry").Number))
}

// rolling makes sure that a rollout runs and is not paused.
func (c *crowd) rolling() {
	c.open("pause")
	c.asks("bob", "/resume pause")
}

// paused has bob pause a rollout.
func (c *crowd) paused() {
	c.open("resume")
	c.asks("bob", "/pause resume")
}

// begun has bob cancel the rollout of the stage skip and start a new one.
func (c *crowd) begun() {
	c.asks("bob", "/cancel skip")
	c.asks("bob", "/promote skip")
}

// condemned has bob give the verdict "fail" on freight that passes its check at GitHub.
func (c *crowd) condemned() {
	c.open("verify")
	c.do("check verify success on verify")
	c.asks("bob", `/verdict verify fail --because "I have seen it"`)
}

// comment writes a comment and returns the answer to it.
func (c *crowd) comment(login, text string) string {
	c.t.Helper()
	_, err := c.github.Comment(home, c.n, login, text)
	require.NoError(c.t, err)
	c.quiet()
	reactions, said := c.site.answered(c.n)
	require.NotEmpty(c.t, reactions)
	return said
}

// since returns the text of all comments on a pull request after the first n.
func (c *crowd) since(pull, n int) (said string) {
	c.quiet()
	for _, one := range c.told(pull)[n:] {
		said += one.Body + "\n"
	}
	return said
}

func (c *crowd) review(login string, _ promotion.CommandVerb, words string) string {
	c.t.Helper()
	before := len(c.told(c.n))
	require.NoError(c.t, c.github.Review(home, c.n, login, "COMMENTED", "/"+words))
	return c.since(c.n, before)
}

// label adds the label of /promote to the newest pull request. For /hold and /unhold it adds or removes the hold label
// on the pull request of the stage's newest promotion.
func (c *crowd) label(login string, verb promotion.CommandVerb, _ string) string {
	c.t.Helper()
	pull, name, do := c.n, "promote/promote", c.github.AddLabel
	if verb != promotion.CmdPromote {
		pull, name = c.pull(c.newest(promotion.StageName(verb)).Number).Number, "waybill/hold"
	}
	if verb == promotion.CmdUnhold {
		do = c.github.RemoveLabel
	}
	before := len(c.told(pull))
	c.do("wait 1s") // GitHub tells two acts of a person with a label apart by their second
	require.NoError(c.t, do(home, pull, login, name))
	return c.since(pull, before)
}

func (c *crowd) pressOnCheck(login string, verb promotion.CommandVerb, _ string) string {
	c.t.Helper()
	var n int
	p := c.newest(promotion.StageName(verb))
	_, err := fmt.Sscanf(p.Freight.Name, "api#%d", &n)
	require.NoError(c.t, err)
	for _, button := range c.run(n, string(verb)).Buttons {
		if is, _, _ := strings.Cut(button, " "); is == string(verb) {
			c.press(c.run(n, string(verb)).ID, login, button)
		}
	}
	return c.run(n, string(verb)).Summary
}

// inSlack returns the Slack user of ann, or of eve for every other login.
func (c *crowd) inSlack(login string) string {
	if login == "ann" {
		return c.ann
	}
	return c.eve
}

func (c *crowd) slash(login string, _ promotion.CommandVerb, words string) string {
	c.t.Helper()
	return text(c.says(c.inSlack(login), words))
}

// mention mentions the bot in the channel and returns its answer in the thread.
func (c *crowd) mention(login string, _ promotion.CommandVerb, words string) string {
	c.t.Helper()
	require.True(c.t, c.slack.Mention(c.ctx, c.inSlack(login), "deploys", "", words).OK())
	c.do("wait 15s") // a channel takes a message a second, and others may be on their way
	all := c.slack.Messages("deploys")
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].User == c.inSlack(login) {
			require.Len(c.t, all[i].Replies, 1)
			return text(all[i].Replies[0])
		}
	}
	return ""
}

// pressInSlack presses a button of the message about the newest promotion of a stage and returns the answer.
func (c *crowd) pressInSlack(login string, verb promotion.CommandVerb, _ string) string {
	c.t.Helper()
	shown := fmt.Sprintf("/%d.", c.newest(promotion.StageName(verb)).Number)
	for _, m := range c.slack.Messages("deploys") {
		for _, b := range m.Buttons() {
			if b.ActionID == string(verb) && strings.Contains(b.Value, shown) {
				require.True(c.t, c.slack.Press(c.ctx, c.inSlack(login), "deploys", m.TS, b).OK())
				return c.whispered(login)
			}
		}
	}
	require.Fail(c.t, "there is no such button", string(verb))
	return ""
}

// whispered returns the newest ephemeral message to a person.
func (c *crowd) whispered(login string) (said string) {
	c.quiet()
	for _, m := range c.slack.Messages("deploys") {
		if m.EphemeralTo == c.inSlack(login) {
			said = text(m)
		}
	}
	return said
}

// text returns the whole text of a message.
func text(m slacksim.Message) string {
	said := m.Text
	for _, b := range m.Blocks {
		if b.Text != nil {
			said += "\n" + b.Text.Text
		}
	}
	return said
}

func (c *crowd) overAPI(login string, _ promotion.CommandVerb, words string) string {
	c.t.Helper()
	key := c.keys["eve"]
	if login == "ann" {
		key = c.keys["ann"]
	}
	return fmt.Sprint(c.gives(key, "", words))
}

// twice gives the same command in a comment and in Slack at the same moment.
func (c *crowd) twice(login string, _ promotion.CommandVerb, words string) (answer string) {
	c.t.Helper()
	var both sync.WaitGroup
	both.Go(func() { c.slack.Slash(c.ctx, c.inSlack(login), "deploys", words) })
	answer = c.comment(login, "/"+words)
	both.Wait()
	return answer + c.whispered(login)
}
