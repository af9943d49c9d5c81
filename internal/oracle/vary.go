package oracle

import (
	"slices"
	"time"

	"waybill/promotion"
)

// variation is something that could have been so as well when a decision was made, but rarely is.
type variation struct {
	name string
	vary func(s *promotion.Snapshot, now *time.Time, n int)
}

// variations are asked about in turn. They leave alone what signals and pushes say: only a history can say what of that
// goes together.
var variations = []variation{
	{"an hour later", func(_ *promotion.Snapshot, now *time.Time, _ int) { *now = now.Add(time.Hour) }},
	{"two days later", func(_ *promotion.Snapshot, now *time.Time, _ int) { *now = now.Add(48 * time.Hour) }},
	{"held by a person", heldBy(zoe)},
	{"held by Waybill", heldBy(promotion.Actor{})},
	{"in conflict", func(s *promotion.Snapshot, _ *time.Time, _ int) {
		pulls(s, func(p *promotion.Pull) { p.Conflicts = true })
	}},
	{"held in the merge queue", func(s *promotion.Snapshot, now *time.Time, n int) {
		pulls(s, func(p *promotion.Pull) { p.Queue = promotion.InQueue })
		heldBy(zoe)(s, now, n)
	}},
	{"signed off for another plan", func(s *promotion.Snapshot, now *time.Time, _ int) {
		signOff(s, *now, "another plan")
	}},
	{"signed off", func(s *promotion.Snapshot, now *time.Time, _ int) {
		for _, a := range s.Attempts {
			if a.Plan != nil {
				signOff(s, *now, a.Plan.Hash)
			}
		}
	}},
	{"asked", ask},
	{"asked again", func(s *promotion.Snapshot, now *time.Time, n int) { ask(s, now, n+1); ask(s, now, n) }},
}

// zoe has every right, and plays no part in any story or history.
var zoe = promotion.Actor{ID: 99, Login: "zoe"}

// verbs are the commands that change something.
var verbs = []promotion.CommandVerb{
	promotion.CmdPromote, promotion.CmdRollback, promotion.CmdCancel, promotion.CmdApprove, promotion.CmdRetry,
	promotion.CmdVerify, promotion.CmdVerdict, promotion.CmdDeny, promotion.CmdHold, promotion.CmdUnhold,
	promotion.CmdAdmit, promotion.CmdPause, promotion.CmdResume, promotion.CmdSkip, promotion.CmdRefresh,
}

// varied returns a call with one thing changed, which n chooses, and its name.
func varied(s *promotion.Snapshot, now time.Time, n int) (promotion.Snapshot, time.Time, string) {
	v := variations[n%len(variations)]
	other := *s
	v.vary(&other, &now, n/len(variations))
	return other, now, v.name
}

func heldBy(who promotion.Actor) func(*promotion.Snapshot, *time.Time, int) {
	return func(s *promotion.Snapshot, now *time.Time, n int) {
		h := promotion.Hold{ID: nextID(s), Stage: s.Stage.Name, By: who, Text: "to see", At: *now}
		if who.Bot() {
			h.Text, h.Reason = "", promotion.Because(promotion.FailedCheck, "smoke")
		}
		if n%2 == 1 {
			h.Until = now.Add(20 * time.Minute)
		}
		s.Holds = append(slices.Clone(s.Holds), h)
	}
}

// pulls changes the open pull requests.
func pulls(s *promotion.Snapshot, change func(*promotion.Pull)) {
	s.Pulls = slices.Clone(s.Pulls)
	for i := range s.Pulls {
		if s.Pulls[i].State == promotion.PullOpen {
			change(&s.Pulls[i])
		}
	}
}

// signOff signs off each promotion that is under way.
func signOff(s *promotion.Snapshot, now time.Time, plan string) {
	for _, p := range s.Promotions {
		if p.State.Active() {
			s.Approvals = append(slices.Clone(s.Approvals), promotion.Approval{
				ID: nextID(s), Stage: s.Stage.Name, Freight: p.Freight, Kind: promotion.SignOff, By: zoe, Plan: plan,
				At: now, Expires: now.Add(time.Hour), Entitled: true,
			})
		}
	}
}

// ask adds a command to the stage, or to one of its targets; n chooses which.
func ask(s *promotion.Snapshot, now *time.Time, n int) {
	c := promotion.Command{Verb: verbs[n%len(verbs)], Stage: s.Stage.Name, Pass: n%2 == 0, Text: "to see"}
	if t := s.Stage.Targets; len(t) > 0 && n%3 > 0 {
		c.Target = t[n%len(t)].Name
	}
	if f := s.Freight; len(f) > 0 && n%4 > 1 {
		c.Freight = f[n%len(f)].Name
	}
	r := promotion.Request{
		ID: int64(1000 + len(s.Requests)), Command: c, By: zoe, Surface: "acme/api#1/1", At: *now,
		Permission: promotion.Admin,
	}
	s.Requests = append(slices.Clone(s.Requests), r)
}

// nextID takes the next id of a snapshot.
func nextID(s *promotion.Snapshot) int64 {
	s.NextID++
	return s.NextID - 1
}
