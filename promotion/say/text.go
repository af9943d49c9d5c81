package say

import (
	"cmp"
	"fmt"
	"strings"

	"waybill/promotion"
)

// The sentence of every reason. Codes decide, sentences only tell: nothing reads them back.

// Sentence returns a reason in words, without a full stop, so that it can stand after "because" or by itself. It is
// plain text: text of people stands in it as they typed it.
func Sentence(r promotion.Reason) string {
	if tells(r) {
		return r.Detail
	}
	return sentenceWith(r, func(s string) string { return s }) + after(": ", r.Detail)
}

// markdown says the same in Markdown, in which no text of people pings, links or formats.
func markdown(r promotion.Reason) string {
	if tells(r) {
		return plain(promotion.Clip(r.Detail, 300))
	}
	return sentenceWith(r, code) + after(": ", plain(promotion.Clip(r.Detail, 300)))
}

// tells reports whether the detail of a reason is the whole sentence.
func tells(r promotion.Reason) bool {
	return r.Detail != "" && (r.Code == promotion.Malformed || r.Code == promotion.NoChange)
}

// sentence says the code and its arguments; show is how an argument is shown.
func sentenceWith(r promotion.Reason, show func(string) string) string {
	shown := shown(r, show)
	first, rest := apart(shown)
	arg, list := r.Arg(0), strings.Join(shown, ", ")
	switch r.Code {
	case promotion.Asked:
		return cmp.Or(list, "somebody") + " asked for it"
	case promotion.Decided:
		return cmp.Or(list, "somebody") + " decided so by `/verdict`"
	case promotion.Closed:
		return cmp.Or(list, "somebody") + " closed its pull request"
	case promotion.Behind:
		return "promotion " + arg + " goes first"
	case promotion.Merged:
		return cmp.Or(rest, "promotion "+arg) + " is merged already"
	case promotion.InTurn:
		return "promotion " + arg + after(" of ", rest) + " is made anew and merged into the branch first"
	case promotion.BeforeFailed:
		return "promotion " + arg + ", the one before, failed its verification" + after(": ", rest)
	case promotion.Newer:
		return "newer freight took its place: " + list
	case promotion.Carried:
		return "in " + rest + " as part of " + first
	case promotion.Before:
		return "never in " + rest + ": " + first + " came first, and may not contain it"
	case promotion.Held:
		return held(arg == "bot", shown)
	case promotion.Frozen:
		return "the stage is frozen" + after(": ", list)
	case promotion.Incomplete:
		return "waiting for CI to push " + list
	case promotion.Unverified:
		return "not verified in " + list
	case promotion.Rejected:
		return rest + " rejected " + first
	case promotion.FailedCheck:
		return hasFailed(shown)
	case promotion.Left:
		return "verified in " + list + ", but it left before its soak was over; newer freight comes instead"
	case promotion.Soaking:
		return "soaking in " + list
	case promotion.Unapproved:
		return signOffs(arg)
	case promotion.Void:
		if r.Detail != "" { // which says why
			return "the sign-off of " + list + " no longer counts"
		}
		return "what would be merged has changed, so the sign-offs of " + cmp.Or(list, "people") + " no longer count"
	case promotion.PlanChanged:
		return planChanged(arg, rest)
	case promotion.Missing:
		return list + " has not reported on the merge"
	case promotion.TimedOut:
		return list + " did not finish in time (`timeout`)"
	case promotion.Inconclusive:
		return cmp.Or(around("", list, " neither passed nor failed"), "there was no clear result")
	case promotion.Recovered:
		return first + " is verified there (promotion " + r.Arg(1) + ")"
	case promotion.NoChange:
		return "the files have this version already"
	case promotion.Conflict:
		return "it conflicts with its base in " + list
	case promotion.Unreadable:
		return list + " cannot be changed"
	case promotion.NotPlanned:
		return "what was merged is not what was planned" + after(": ", list)
	case promotion.Rolling:
		return "batch " + first + after(": ", rest)
	}
	return lesserSentence(r, shown, show)
}

// apart returns the first of some arguments, and the others as a list.
func apart(shown []string) (first, rest string) {
	if len(shown) == 0 {
		return "", ""
	}
	return shown[0], strings.Join(shown[1:], ", ")
}

// hasFailed says which signal failed, and in which stage if that is another one.
func hasFailed(shown []string) string {
	if len(shown) < 2 {
		return strings.Join(shown, "") + " failed"
	}
	return strings.Join(shown[1:], ", ") + " failed in " + shown[0]
}

// planChanged says why what is to be merged, or was, is not what was planned. Where a person did nothing to the pull
// request the detail goes on.
func planChanged(how, branch string) string {
	switch how {
	case "pushed":
		return "its branch has a commit that Waybill does not know, so Waybill does not merge it: take that commit off, or " +
			"close it and say `/retry STAGE`"
	case "retargeted":
		return "its pull request goes into another branch: set it back to " + branch + ", or close it"
	case "elsewhere":
		return "it was merged into " + branch + ", where the stage has no files: `/retry STAGE` promotes it"
	}
	return "the plan is another one now"
}

// held says who holds a stage, or freight of one of its warehouses.
func held(byBot bool, shown []string) string {
	of := ""
	if len(shown) > 1 {
		of = "freight of " + shown[1]
	}
	if byBot {
		return "Waybill holds " + cmp.Or(of, "the stage") + " until somebody decides (`/unhold`)"
	}
	return strings.Join(shown[:min(1, len(shown))], "") + " holds " + cmp.Or(of, "the stage")
}

// maxShown bounds how many arguments a sentence lists.
const maxShown = 20

// shown returns the arguments as they are shown, the first of them if there are too many to read.
func shown(r promotion.Reason, show func(string) string) []string {
	var all []string
	for _, arg := range r.Args[:min(maxShown, len(r.Args))] {
		all = append(all, show(arg))
	}
	if more := len(r.Args) - maxShown; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return all
}

// lesserSentence says the rest of the codes.
func lesserSentence(r promotion.Reason, shown []string, show func(string) string) string {
	list := strings.Join(shown, ", ")
	first, rest := apart(shown)
	switch r.Code {
	case promotion.Refused:
		return "GitHub does not allow it" + after(": ", list)
	case promotion.Overtaken:
		return "others push to its base again and again; Waybill makes its commit anew in a moment"
	case promotion.Refusing:
		return "GitHub refuses it at the moment"
	case promotion.Removed:
		return list + " is no longer in the pipeline file"
	case promotion.Moved:
		return "the stage's files are in " + list + " now; `/promote` writes there"
	case promotion.Drifted:
		return "somebody changed what was promoted: " + list
	case promotion.Already:
		return "it is so already"
	case promotion.Done:
		return "it has been done"
	case promotion.Lifted:
		return "the hold of freight of " + list + " is lifted, too"
	case promotion.Over:
		over := "its promotion is over (" + r.Arg(0) + "), and opening it again promotes nothing"
		freight := r.Arg(1) + " " + strings.ReplaceAll(r.Arg(2), "`", "")
		switch {
		case r.Arg(2) == "":
			return over
		case r.Arg(3) != "":
			return over + "; `/why " + freight + "` says how that freight stands"
		}
		return over + "; to promote anew, say `/promote " + freight + "`"
	case promotion.Waiting:
		return "waiting for " + cmp.Or(list, "an answer from GitHub")
	case promotion.ToBeMerged:
		return "a person must merge its pull request"
	case promotion.Enqueued:
		return "it is in GitHub's merge queue"
	case promotion.Unmergable:
		return "GitHub does not let it be merged yet: " + list
	case promotion.Unknown:
		return "there is no " + list + " here"
	case promotion.Which:
		return which(r, show)
	case promotion.NoFreight:
		return noFreight(r)
	case promotion.Keeps:
		return first + " soaks here first, for " + rest
	case promotion.Hosts:
		return "the stage has " + first + ", verified; " + rest + " is not there. To go back further: " +
			"`/rollback STAGE to FREIGHT`"
	case promotion.Several:
		return "this pull request is freight of several warehouses: " + list + ". Name one, as in `/promote STAGE " +
			strings.ReplaceAll(r.Arg(0), "`", "") + "`"
	case promotion.Lapsed:
		return "the label was put on at commit " + list + ", and something else was pushed before the merge; " +
			"to promote it, put the label on again"
	case promotion.Stale:
		return "a command counts for a day, and this one arrived later; if it is still meant, give it again"
	case promotion.Malformed:
		return "it cannot be understood"
	case promotion.Forbidden:
		return forbidden(r, list)
	case promotion.Resting:
		return "waiting after batch " + list
	case promotion.Paused:
		return list + " has paused it (`/resume`)"
	case promotion.Skipped:
		return "somebody has left out " + list
	case promotion.NotReady:
		return "not ready: " + list
	case promotion.Unready:
		return "no target is ready: " + list
	}
	return string(r.Code)
}

// signOffs says how many sign-offs a promotion still needs.
func signOffs(n string) string {
	if n == "1" {
		return "1 more sign-off is needed (`/approve`)"
	}
	return n + " more sign-offs are needed (`/approve`)"
}

// which lists the promotions that a cancel could mean, each of which an argument names with its freight.
func which(r promotion.Reason, show func(string) string) string {
	var all []string
	name, _, _ := strings.Cut(r.Arg(0), " ")
	for _, arg := range r.Args[:min(maxShown, len(r.Args))] {
		number, freight, _ := strings.Cut(arg, " ")
		all = append(all, strings.TrimPrefix(number, "p")+around(" (", show(freight), ")"))
	}
	last := max(0, len(all)-1)
	if more := len(r.Args) - maxShown; more > 0 {
		all, last = append(all, fmt.Sprintf("%d more", more)), len(all)
	}
	list := around("", strings.Join(all[:last], ", "), " and ") + strings.Join(all[last:], "")
	return "promotions " + list + " wait, and none was ended: `/cancel " + name + "` ends the first"
}

// noFreight says why a pull request is no freight, and what to type instead.
func noFreight(r promotion.Reason) string {
	const instead = ". To mean other freight, name it"
	if r.Arg(1) != "" {
		return r.Arg(0) + " is not merged yet, so it is no freight; give the command again when it is" + instead
	}
	return r.Arg(0) + " is no freight: no warehouse takes it, or GitHub has not told of its merge yet (`/refresh` asks)" +
		instead
}

// forbidden says who may instead.
func forbidden(r promotion.Reason, list string) string {
	switch arg := r.Arg(0); arg {
	case "nobody":
		return "nobody may do that here"
	case promotion.Unasked.String():
		return "GitHub could not be asked who may do that; try again in a minute"
	case "unknown":
		const remedy = "have the policy file say `not: [requester]`"
		if along := r.Arg(2); along != "" {
			return "whoever had a hand in " + along + ", which comes along, may not do that, and it is not known who its " +
				r.Arg(1) + " is, so nobody may. To go on, " + remedy
		}
		return "the author of the freight may not do that, and it is not known who its " + r.Arg(1) + " is, so nobody may. " +
			"Promote freight of known accounts, or " + remedy
	case "more":
		return "whoever had a hand in what comes along may not do that, and more than " + r.Arg(1) + " pieces of freight " +
			"come along, too many to ask who that was, so nobody may. Promote older freight before, so that fewer come at " +
			"a time, or have the policy file say `not: [requester]`"
	case "not":
		if along := r.Arg(2); along != "" {
			return "whoever had a hand in " + along + ", which comes along, may not do that"
		}
		return "the " + r.Arg(1) + " may not do that"
	case string(promotion.Automatic):
		return "it is no longer promoted by itself; `/promote` asks for it"
	case promotion.Read.String(), promotion.Triage.String(), promotion.Write.String(), promotion.Maintain.String(),
		promotion.Admin.String():
		return "that needs " + arg + " permission"
	}
	return "that needs one of the teams " + list
}

// RightWords says whether a person may give a command.
func RightWords(r promotion.Right) string {
	switch {
	case !r.Why.IsZero():
		return "no: " + Sentence(r.Why)
	case r.Own:
		return "yes, but only holds of their own or of Waybill"
	case len(r.Not) > 0:
		return "yes, unless they are the promotion's " + strings.Join(r.Not, " or ")
	}
	return "yes"
}

// capital begins a sentence with words that begin small.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// around puts text between two others; "" stays that.
func around(before, s, behind string) string {
	if s == "" {
		return ""
	}
	return before + s + behind
}

func after(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}
