package say

import (
	"fmt"
	"strings"
	"time"
	"waybill/promotion"
)

// Ruling is what the check run of a guarded stage says of a candidate (semantics 4.8).
type Ruling struct {
	Waits   bool             // it had better not be merged now
	Reason  promotion.Reason // why it waits
	Moot    bool             // nobody rules on it any more
	Title   string
	Summary string // Markdown
}

// Guard rules on what people want to merge. What changes a file of the stage waits while the stage verifies what was
// promoted last, is held, or is frozen: merged now it would be judged together with that, or slip through. Everything
// else passes at once, so that the check can be a required one of the branch.
func Guard(s *promotion.Snapshot, c promotion.Candidate, now time.Time) Ruling {
	stage, there := string(s.Stage.Name), s.Pipeline.On(s.Stage, c.Into)
	touched := there.ChangedBy(c)
	if len(touched) == 0 {
		return Ruling{Title: "Changes no file of " + stage,
			Summary: "Promotions to " + code(stage) + " write " + filesOf(there) + ", which this leaves alone.\n"}
	}
	changes := "This changes " + cells(touched) + ", which promotions to " + code(stage) + " write.\n\n"
	all := obstacles(s, now)
	if len(all) == 0 {
		return Ruling{Title: "Nothing is under way in " + stage,
			Summary: changes + "Nothing is under way there: nothing is being verified, held or frozen.\n"}
	}
	return Ruling{Waits: true, Reason: all[0].reason, Title: promotion.Clip("Not now: "+all[0].title, 200),
		Summary: changes + notNow(s, all)}
}

// obstacle is something for which people's changes of a stage's files wait.
type obstacle struct {
	reason promotion.Reason
	title  string // plain text, as people typed it
	text   string // Markdown
}

// obstacles lists what people's changes wait for, what only a person can end first.
func obstacles(s *promotion.Snapshot, now time.Time) (all []obstacle) {
	for _, h := range s.ActiveHolds(now) {
		all = append(all, heldUp(s, h))
	}
	all = append(all, frozenUp(s, promotion.Automatic, now)...)
	for i := range s.Promotions {
		if p := &s.Promotions[i]; p.State == promotion.Verifying {
			all = append(all, verifies(s, p))
		}
	}
	return all
}

// heldUp is a hold as an obstacle.
func heldUp(s *promotion.Snapshot, h promotion.Hold) obstacle {
	return obstacle{h.Because(), string(s.Stage.Name) + " is " + HoldSentence(h),
		"The stage is " + plain(promotion.Clip(HoldSentence(h), 1000))}
}

// frozenUp is the freeze that stops a class of promotions as an obstacle; none if there is none.
func frozenUp(s *promotion.Snapshot, c promotion.Class, now time.Time) []obstacle {
	f, until := s.Stage.Frozen(c, now)
	if f == nil {
		return nil
	}
	end := moment(until)
	return []obstacle{{
		f.Because(),
		fmt.Sprintf("%s is frozen until %s", s.Stage.Name, end) + after(": ", oneLine(f.Reason)),
		"The stage is frozen until " + end + after(": ", plain(promotion.Clip(f.Reason, 300))),
	}}
}

// verifies is the obstacle that a promotion is whose freight is not judged yet. It does not tell how far that has come:
// the check run of the freight does.
func verifies(s *promotion.Snapshot, p *promotion.Promotion) obstacle {
	number := p.Number.String()
	if url := address(s.Link(p.Number).URL); url != "" {
		number = "[" + number + "](" + url + ")"
	}
	return obstacle{
		promotion.Because(promotion.Behind, p.Number.String()),
		fmt.Sprintf("promotion %s of %s is being verified in %s", p.Number, p.FreightName, s.Stage.Name),
		fmt.Sprintf("Promotion %s of %s is being verified since %s, by %s", number, code(p.FreightName),
			moment(p.Merged), awaited(s.Stage)),
	}
}

// notNow says what is waited for, and how to learn more.
func notNow(s *promotion.Snapshot, all []obstacle) string {
	var b strings.Builder
	b.WriteString("It had better not be merged now:\n\n")
	for _, o := range all {
		b.WriteString("- " + o.text + "\n")
	}
	b.WriteString("\nThis check passes by itself as soon as none of that is so any more.\n")
	return b.String() + fence("/why "+string(s.Stage.Name))
}

// PassOwn is the ruling on a promotion of Waybill's own: it is made when the time has come for it, and verified once it
// is merged.
func PassOwn(s *promotion.Stage) Ruling {
	return Ruling{
		Title: "A promotion of Waybill's own",
		Summary: code(string(s.Name)) +
			" guards its files against people's changes. Promotions wait for holds, freezes and verifications by themselves.\n",
	}
}

// NoRuling is said of a candidate that is none any more, or of a stage that guards nothing any more.
func NoRuling(why string) Ruling {
	return Ruling{Moot: true, Title: "Not guarded any more", Summary: plain(why) + "\n"}
}
