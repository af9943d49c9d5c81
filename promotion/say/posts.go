package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
)

// The posts of Waybill on GitHub: check runs, pull requests, commits and comments.

// stateWords says a state in the words of a title.
var stateWords = map[promotion.State]string{
	promotion.Queued:             "Queued",
	promotion.Running:            "Started, not merged",
	promotion.WaitingForMerge:    "Waiting for its merge",
	promotion.Verifying:          "Merged, verifying",
	promotion.Succeeded:          "Verified",
	promotion.Failed:             "Failed",
	promotion.Declined:           "Declined",
	promotion.VerificationFailed: "Verification failed",
	promotion.Cancelled:          "Cancelled",
	promotion.Superseded:         "Superseded",
}

// placeWords says a place without promotion in the words of a title.
var placeWords = map[promotion.Place]string{
	promotion.PlaceAvailable:   "Available",
	promotion.PlaceUnavailable: "Not available yet",
	promotion.PlaceSkipped:     "Skipped",
}

// Title says in a few words where the freight stands: the title of its check run.
func Title(s promotion.FreightStatus) string {
	return promotion.Clip(oneLine(word(s)+after(": ", Sentence(s.Why()))), 200)
}

func word(s promotion.FreightStatus) string {
	if s.Promotion == nil {
		return placeWords[s.Place] + rejected(s)
	}
	word := endWord(s)
	if was := wasIn(s.Was); was != "" && word == stateWords[promotion.Succeeded] {
		word = was
	} else if was != "" {
		word += ", w" + was[1:]
	}
	if !s.Drift.IsZero() {
		word += ", drifted"
	} else if s.Withdrawn != "" {
		word += ", taken back"
	}
	word += rejected(s)
	if summary := String(s.Tally); summary != "" {
		word += " (" + summary + ")"
	}
	return word
}

// rejected marks freight that a person has rejected, where its views do not say so by themselves; "" of any other.
func rejected(s promotion.FreightStatus) string {
	if s.Rejected.IsZero() || s.Withdrawn != "" || s.Why().Code == promotion.Rejected {
		return ""
	}
	return ", rejected"
}

// endWord says how far a promotion has come, or how its freight stands that has come to its end: what its signals say
// now, and how the promotion ended if that was something else.
func endWord(s promotion.FreightStatus) string {
	p := s.Promotion
	word := stateWord(s.Stage, p.State)
	switch ended := fmt.Sprintf("; promotion %d: %s", p.Number, strings.ToLower(word)); {
	case s.Good() && p.State == promotion.VerificationFailed:
		return "Verified after it had failed"
	case s.Good() && p.State != promotion.Succeeded:
		return stateWords[promotion.Succeeded] + ended
	case s.Bad() && p.State == promotion.Succeeded:
		return "Failed after it had been verified"
	case s.Bad() && p.State != promotion.VerificationFailed:
		return stateWords[promotion.VerificationFailed] + ended
	case p.State == promotion.Succeeded && !s.Good(), s.Partly && p.State == promotion.VerificationFailed:
		return "Verified in part"
	}
	return word
}

// wasIn says until when freight was in a stage, and what came then; "" if it has not left one.
func wasIn(w promotion.Was) string {
	if w.In == "" {
		return ""
	}
	return "Was in " + string(w.In) + after(" until ", moment(w.Until)) + after(", then ", w.Then)
}

// Summary says where the freight stands, why, when it is looked at again, and which command fits: the summary of its
// check run.
func Summary(s promotion.FreightStatus, stage promotion.StageName) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** in **%s**: %s%s.\n",
		code(s.Name), code(string(stage)), word(s), after(": ", markdown(s.Why())))
	b.WriteString(after("\n", whichStand(s.Targets)))
	if s.Promotion != nil {
		b.WriteString(noted(s.Promotion, s.Notes))
		fmt.Fprintf(&b, "\nPromotion %d, %s%s.%s\n", s.Promotion.Number, s.Promotion.Class,
			after(", asked for by ", plain(string(s.Promotion.By.Login)))+after(": ", plain(s.Promotion.Words)),
			repairText(s.Promotion))
		b.WriteString(around("\n", plain(askerMust(s.Promotion)), ".\n"))
	}
	if !s.Drift.IsZero() {
		fmt.Fprintf(&b, "\nDrifted: %s.\n", markdown(s.Drift))
	}
	b.WriteString(around("\nTaken back: ", plain(takenBack(s, stage)), ".\n"))
	if !s.Recovered.IsZero() && !s.Good() {
		fmt.Fprintf(&b, "\n%s is good again: %s.\n", code(string(stage)), markdown(s.Recovered))
	}
	if rejected(s) != "" {
		fmt.Fprintf(&b, "\nRejected: %s.\n", markdown(s.Rejected))
	}
	if link := s.Link; link.URL != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", strings.ToUpper(link.What[:1])+link.What[1:], link.URL)
	}
	if url := address(s.Why().URL); url != "" {
		fmt.Fprintf(&b, "\nSee: %s\n", url)
	}
	if !s.Until.IsZero() {
		fmt.Fprintf(&b, "\n%s %s.\n", capital(clock(s)), moment(s.Until))
	}
	b.WriteString(around("\n", Patience(s.Rejection), ".\n"))
	b.WriteString(around("\n", letsGo(s.LetsGo, code, "/"), ".\n"))
	if next := Next(s); next != "" {
		fmt.Fprintf(&b, "\nNext: `%s`\n", next)
	}
	return b.String()
}

// clock is what a time means for which freight waits: that it goes on then, or that Waybill looks again.
func clock(s promotion.FreightStatus) string {
	if s.Why().Code.Lasts() {
		return "until"
	}
	return "next check"
}

// takenBack says what has taken freight back in a stage; "" if nothing has.
func takenBack(s promotion.FreightStatus, stage promotion.StageName) string {
	if s.Withdrawn == "" {
		return ""
	}
	return string(stage) + " " + s.Withdrawn
}

// Patience says since when GitHub refuses a promotion, and when that ends it; "" if GitHub does not.
func Patience(r *promotion.Rejection) string {
	switch {
	case r == nil:
		return ""
	case r.Until.IsZero():
		return "GitHub has refused it since " + moment(r.Since) + "; it is tried again until GitHub allows it"
	}
	return "GitHub has refused it since " + moment(r.Since) + "; Waybill gives up at " + moment(r.Until) +
		" if GitHub still refuses"
}

// Next returns the command that a person could type next, or "".
func Next(s promotion.FreightStatus) string {
	if s.Next.Verb == "" {
		return ""
	}
	return command.Write(s.Next)
}

// askerMust says whose right counts for a promotion that waits until its freight is available, as a label or
// --when-available asks for it; "" of any other.
func askerMust(p *promotion.Promotion) string {
	if !p.Early || p.State != promotion.Queued {
		return ""
	}
	return fmt.Sprintf("It starts if %s may still promote to %s then, and is cancelled otherwise", p.By.Login, p.Stage)
}

// repairText says why a repair was made; "" of any other promotion.
func repairText(p *promotion.Promotion) string {
	if !p.Repairs {
		return ""
	}
	return fmt.Sprintf(" It writes again what promotion %d wrote, because the files no longer say so.", p.Cause)
}

// TellText is the comment that a promotion's end, or its being stuck, is worth. offered are the commands that would be
// carried out now.
func TellText(p *promotion.Promotion, outcome string, r promotion.Reason, offered []promotion.Command) string {
	var b strings.Builder
	freight, stage := code(p.Freight.Name), code(string(p.Stage))
	switch outcome {
	case string(promotion.Failed):
		fmt.Fprintf(&b, "**%s** could not be promoted to **%s**: %s.%s", freight, stage, markdown(r), holding(offered))
		steps := slices.DeleteFunc([]string{offer(offered, promotion.CmdUnhold), offer(offered, promotion.CmdRetry)},
			func(step string) bool { return step == "" })
		b.WriteString(after("\n\nNext: ", strings.Join(steps, ", then ")))
	case string(promotion.VerificationFailed):
		fmt.Fprintf(&b, "❌ **%s** failed in **%s**: %s.%s", freight, stage, markdown(r), holding(offered))
		back := cmp.Or(offer(offered, promotion.CmdRollback), offer(offered, promotion.CmdRetry))
		b.WriteString("\n\nNext: " + around("", back, ", or ") + "merge a fix" +
			around(", which waits for ", offer(offered, promotion.CmdUnhold), ""))
	case string(promotion.Recovered):
		return recovered(p, r)
	case string(promotion.Superseded), string(promotion.Cancelled):
		b.WriteString(ended(p, outcome, r))
		fmt.Fprintf(&b, "\n\nNext: `/why %s %s`%s", p.Stage, p.Freight.Name,
			around(", or ", offer(offered, promotion.CmdPromote), ", which asks for it again"))
	case string(promotion.Void):
		if r.Detail == "" {
			fmt.Fprintf(&b, "Sign off again, please: %s.", markdown(r))
		} else { // somebody has taken it back
			fmt.Fprintf(&b, "**%s** waits before **%s**: %s.", freight, stage, markdown(r))
		}
		b.WriteString(after("\n\nNext: ", offer(offered, promotion.CmdApprove)))
	case string(promotion.EventDrifted):
		fmt.Fprintf(&b, "**%s** is in **%s**, but %s.", freight, stage, markdown(r))
		again := around("", offer(offered, promotion.CmdPromote), " writes it again; ")
		b.WriteString("\n\nNext: " + again + "`drift: repair` in the pipeline file makes that automatic")
	default:
		fmt.Fprintf(&b, "❓ No verdict on **%s** in **%s**: %s. Waybill holds the stage.", freight, stage, markdown(r))
		decides := around("", offer(offered, promotion.CmdVerdict), " decides")
		asks := around("", offer(offered, promotion.CmdVerify), " asks GitHub again"+around(", ", decides, ""))
		b.WriteString(after("\n\nNext: ", cmp.Or(asks, decides)))
	}
	fmt.Fprintf(&b, "%s\n", after("\n\nSee: ", address(r.URL)))
	return b.String()
}

// recovered says that a stage is good again in which a promotion failed its verification, and where it failed.
func recovered(p *promotion.Promotion, r promotion.Reason) string {
	return fmt.Sprintf("✅ **%s** is good again: %s. Promotion %d of **%s** had failed there%s.\n",
		code(string(p.Stage)), markdown(r), p.Number, code(p.Freight.Name), around(" ([details](", address(r.URL), "))"))
}

// ended says to whoever asked for a promotion that it has ended without them, and why.
func ended(p *promotion.Promotion, outcome string, r promotion.Reason) string {
	of := fmt.Sprintf("Promotion %d of **%s** to **%s**", p.Number, code(p.Freight.Name), code(string(p.Stage)))
	by := code(string(p.By.Login))
	if r.Code == promotion.Forbidden {
		return fmt.Sprintf("%s is %s: %s, who asked for it, has no right to any more.", of, outcome, by)
	}
	return fmt.Sprintf("%s, for which %s asked, has ended: %s.", of, by, markdown(r))
}

// TellNow is the comment that TellText is, where at says how the promotion stands when it is written: of freight that
// failed, the reason may be another one by now, and it may be good again.
func TellNow(
	p *promotion.Promotion, outcome string, r promotion.Reason, at promotion.FreightStatus, offered []promotion.Command,
) string {
	if outcome == string(promotion.VerificationFailed) && at.Good() {
		return fmt.Sprintf("**%s** was not good in **%s**: %s. By now it is verified.\n", code(p.Freight.Name),
			code(string(p.Stage)), markdown(r))
	}
	if outcome == string(promotion.VerificationFailed) && at.Bad() {
		r = at.Why()
	}
	return TellText(p, outcome, r, offered)
}

// offer shows the command of a verb, if it is among those that are offered, with the reason that a verdict needs.
func offer(offered []promotion.Command, verb promotion.CommandVerb) string {
	for _, c := range offered {
		if c.Verb == verb {
			return "`" + command.Write(c) + around(" --because \"", c.Text, "\"") + "`"
		}
	}
	return ""
}

// ClosedText is the comment with which the pull request of a promotion is closed.
func ClosedText(r promotion.Reason) string { return "Closed: " + markdown(r) + "." }

// holding says what Waybill holds, if lifting that is among the commands that are offered.
func holding(offered []promotion.Command) string {
	i := slices.IndexFunc(offered, func(c promotion.Command) bool { return c.Verb == promotion.CmdUnhold })
	if i < 0 {
		return ""
	}
	return " Waybill holds " + holds(offered[i], code) + "."
}

// holds names what a command would lift the hold of, a foreign name as quoted writes it.
func holds(c promotion.Command, quoted func(string) string) string {
	if c.Rest == "" {
		return "the stage"
	}
	return "freight of " + quoted(c.Rest) + " there"
}

// letsGo says what Waybill holds, and which command lifts that, where door is what commands begin with; "" if that
// has no verb.
func letsGo(c promotion.Command, quoted func(string) string, door string) string {
	if c.Verb == "" {
		return ""
	}
	return fmt.Sprintf("Waybill holds %s: `%s%s` lifts the hold", holds(c, quoted), door, command.Write(c)[1:])
}

// stopped ends a sentence that has no end yet.
func stopped(sentence string) string {
	if strings.HasSuffix(sentence, "?") {
		return sentence
	}
	return sentence + "."
}

// PressText is the answer to a button, which its check run shows from then on: what it did, or why nothing was done.
func PressText(r promotion.Request, answer string) string {
	return "**" + plain(string(r.By.Login)) + "** pressed " + code(string(r.Command.Verb)) + " at " + moment(r.At) +
		". " + answer
}

// ConfigTrouble is the summary of the check run on pipeline files that cannot be used.
func ConfigTrouble(problems string) string {
	return "The last good ones stay in force.\n\n" + listing(problems)
}

// listing shows lines as they are.
func listing(lines string) string {
	return "```\n" + promotion.Clip(strings.ReplaceAll(lines, "```", "'''"), 60_000) + "\n```\n"
}
