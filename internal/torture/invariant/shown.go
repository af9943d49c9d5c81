package invariant

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/shown"
	"waybill/internal/slacksim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// commentsOnce checks that each comment of ours is there once. Where GitHub's lists lag, one whose answer was lost may
// not be found, and is written again.
func commentsOnce(l *ledger.Ledger, _ knows) string {
	if l.Shape.Behind() {
		return ""
	}
	for _, repo := range l.GitHub.Repos() {
		for _, p := range l.GitHub.Pulls(repo) {
			marks := map[string]int{}
			for _, c := range l.GitHub.Comments(repo, p.Number) {
				i := strings.Index(c.Body, "<!-- waybill:")
				if i < 0 || c.Author != "waybill[bot]" {
					continue
				}
				if marks[c.Body[i:]]++; marks[c.Body[i:]] > 1 {
					return fmt.Sprintf("%s on %s#%d", c.Body[i:], repo, p.Number)
				}
			}
		}
	}
	return ""
}

// checksOnce checks that a check run is made once for a piece of freight. Only a request to run it again may lead to
// one that repeats the one before, and a noisy GitHub may tell of it twice (semantics 6.10). Where GitHub's lists lag,
// one whose answer was lost may not be found, and is made again. After the loss of the database Waybill does not know
// the runs of lost promotions.
func checksOnce(l *ledger.Ledger, _ knows) string {
	if l.Gaps.Lost || l.Shape.Behind() {
		return ""
	}
	for _, s := range l.Sources.Sources {
		last, repeated := map[string]githubsim.CheckRun{}, map[string]int{}
		may := l.ByHand.Reruns[s.SHA]
		if l.Shape.Has(shape.Noisy) {
			may *= 2
		}
		for _, run := range l.GitHub.CheckRuns(s.Repo, s.SHA) {
			if run.App != "waybill" {
				continue
			}
			of := run.Name + " of " + subjectOf(run)
			if before, is := last[of]; is && repeats(before, run) {
				repeated[of]++
			}
			if last[of] = run; repeated[of] > may {
				return fmt.Sprintf("%s on %s#%d: %s again", of, s.Repo, s.Number, run.First)
			}
		}
	}
	return ""
}

// repeats reports whether a check run has no news: it began as the one before has ended.
func repeats(before, run githubsim.CheckRun) bool { return before.State == run.First }

// subjectOf returns the freight and stage of a check run: its external id is PIPELINE/FREIGHT/STAGE, and then perhaps
// the last promotion and a turn. Several tags may name one commit, and two warehouses take one pull request.
func subjectOf(run githubsim.CheckRun) string {
	_, about, _ := strings.Cut(run.ExternalID, "/")
	about, _, _ = strings.Cut(about, " ")
	return about
}

// promotionOf returns the promotion that a check run shows; 0 if it shows none.
func promotionOf(run githubsim.CheckRun) int64 {
	_, about, _ := strings.Cut(run.ExternalID, " p")
	about, _, _ = strings.Cut(about, " ")
	n, err := strconv.ParseInt(about, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// deploysOnce checks that a promotion has at most one deployment, and a rollout one more for each target. A promotion
// without changes uses the commit of the previous one, and a rollout uses the commit of one of its steps. The
// promotions of a lost database are not known, so their deployments cannot be told from others.
func deploysOnce(l *ledger.Ledger, _ knows) string {
	if l.Gaps.Lost {
		return ""
	}
	may := map[string]int{}
	for _, p := range l.DB.Seen.Promotions {
		r := l.Rollouts.Rollouts[p.Number]
		if r == nil || p.MergeSHA == "" {
			may[p.MergeSHA]++
			continue
		}
		may[p.Name+" in "+p.Stage]++
		for _, t := range r.Stage.Targets {
			may[p.Name+" in "+p.Stage+"/"+t]++
		}
	}
	for _, d := range l.Remote.Deployments() {
		if d.Creator != "waybill[bot]" {
			continue
		}
		by := d.Description
		if may[by] == 0 {
			by = d.SHA
		}
		if may[by]--; may[by] < 0 {
			return fmt.Sprintf("%s %s: %s", d.Environment, d.SHA, d.Description)
		}
	}
	return ""
}

// messages returns the messages that Waybill has posted in the channel of all stages, by timestamp.
func messages(l *ledger.Ledger) map[string]string {
	all := map[string]string{}
	for _, m := range l.Chat.Messages(shape.Room) {
		if m.User == slacksim.Bot && m.EphemeralTo == "" {
			all[m.TS] = m.Text
		}
	}
	return all
}

// showsInSlack checks that each message has the text that the program takes for shown. A copy of the database that was
// restored knows no later text of a promotion that had ended; the next decision shows it anew.
func showsInSlack(l *ledger.Ledger, _ knows) string {
	if l.Chat == nil || l.Gaps.Lost && l.DB.Unread() {
		return ""
	}
	posted := messages(l)
	for _, v := range l.DB.Texts(`SELECT remote_id || ' ' || wanted FROM views WHERE kind = 'slack'
		AND wanted = shown AND surface NOT LIKE 'slack:%/%/%' AND remote_id <> ''`) {
		id, text, _ := strings.Cut(v, " ")
		var wanted struct{ Text string }
		if err := json.Unmarshal([]byte(text), &wanted); err != nil {
			return fmt.Sprintf("%s: %v", v, err)
		}
		_, ts, _ := strings.Cut(id, "/")
		if said, there := posted[ts]; !there || said != wanted.Text {
			return fmt.Sprintf("%s: %q instead of %q", id, said, wanted.Text)
		}
	}
	return ""
}

func postsOnce(l *ledger.Ledger, _ knows) string {
	if l.Chat == nil || l.Gaps.Forgot || l.Gaps.Lost {
		return ""
	}
	posted := messages(l)
	begun := l.DB.Count(`SELECT COUNT(*) FROM views WHERE kind = 'slack' AND surface NOT LIKE 'slack:%/%/%'`)
	if len(posted) <= begun+l.Chat.Double {
		return ""
	}
	return fmt.Sprintf("%d messages for %d promotions, %d of which nobody knew whether they were posted: %v",
		len(posted), begun, l.Chat.Double, posted)
}

// isMadeAgain checks that a comment deleted by a person is restored, up to three times, while its promotion lasts.
func isMadeAgain(l *ledger.Ledger, _ knows) string {
	if l.Gaps.Missed("issue_comment") || l.DB.Unread() || l.DB.Unshown("comment") {
		return ""
	}
	for _, s := range l.Sources.Sources {
		if n := l.ByHand.Removals[ledger.Where(s.Repo, s.Number)]; n == 0 || n > 3 || !lasts(l, s) {
			continue
		}
		if !slices.ContainsFunc(l.GitHub.Comments(s.Repo, s.Number), ledger.Sticky) {
			return "the comment on " + ledger.Where(s.Repo, s.Number)
		}
	}
	return ""
}

// lasts reports whether a promotion of the source's freight has started and not ended.
func lasts(l *ledger.Ledger, s ledger.Source) bool {
	for _, p := range l.DB.Seen.Promotions {
		for _, warehouse := range s.Warehouses {
			if p.Active() && p.Warehouse == warehouse && p.Name == s.Name(warehouse) {
				return true
			}
		}
	}
	return false
}

// summary matches the line of a check run that counts the targets of a rollout by state.
var summary = regexp.MustCompile(`(\d+)/(\d+) verified((?:, \d+ [a-z ]+)*)`)

// summaries yields the latest summary of each rollout in the check runs, with its promotion.
func summaries(l *ledger.Ledger) iter.Seq2[ledger.Promo, []string] {
	return func(yield func(ledger.Promo, []string) bool) {
		if !l.Shape.Rolls || l.DB.Unread() || l.DB.Unshown("check") {
			return
		}
		for _, s := range l.Sources.Sources {
			for _, run := range l.GitHub.LatestCheckRuns(s.Repo, s.SHA) {
				n := promotionOf(run)
				found := summary.FindStringSubmatch(run.Title)
				p, known := l.DB.Seen.Promotions[n]
				if run.App != "waybill" || found == nil || !known || l.Rollouts.Rollouts[n] == nil || l.DB.Owes(p.Stage) {
					continue
				}
				if !yield(p, found) {
					return
				}
			}
		}
	}
}

// count returns the number of targets in each state by a summary, and their sum.
func count(found []string) (said map[string]int, sum int) {
	said = map[string]int{}
	said["verified"], _ = strconv.Atoi(found[1])
	sum = said["verified"]
	for _, result := range strings.Split(found[3], ", ")[1:] {
		n, state, _ := strings.Cut(result, " ")
		said[state], _ = strconv.Atoi(n)
		sum += said[state]
	}
	return said, sum
}

func addsUp(l *ledger.Ledger, _ knows) string {
	for p, found := range summaries(l) {
		targets := l.Rollouts.Rollouts[p.Number].Stage.Targets
		if _, sum := count(found); found[2] != fmt.Sprint(len(targets)) || sum != len(targets) {
			return fmt.Sprintf("p%d: %s, of %v", p.Number, found[0], targets)
		}
	}
	return ""
}

func isSo(l *ledger.Ledger, _ knows) string {
	for p, found := range summaries(l) {
		said, _ := count(found)
		if is := l.Rollouts.Summary(p); fmt.Sprint(said) != fmt.Sprint(is) {
			return fmt.Sprintf("p%d: %s, and it is %v", p.Number, found[0], is)
		}
	}
	return ""
}

// tellsOfAll checks that each merged target has a result in a deployment, except in promotions that have been ended,
// perhaps before the program heard of a merge.
func tellsOfAll(l *ledger.Ledger, _ knows) string {
	if l.Gaps.Missed("pull_request", "push") {
		return ""
	}
	for p := range summaries(l) {
		if slices.Contains([]string{"cancelled", "declined", "superseded"}, p.State) {
			continue
		}
		r := l.Rollouts.Rollouts[p.Number]
		told := l.DB.Texts(`SELECT json_extract(value, '$.target') FROM deployments, json_each(results) WHERE promotion = ?`,
			p.Number)
		for _, t := range r.Stage.Targets {
			if _, is := l.Rollouts.MergeOf(p.Number, t); is && !slices.Contains(told, t) && !r.Left[t] {
				return fmt.Sprintf("p%d: %s", p.Number, t)
			}
		}
	}
	return ""
}

// saysTheVerdict checks that the check runs on freight that a stage hosts say, in their titles and by their
// conclusions, what the latest verdict is. Without a lasting deployment there is nothing to compare with.
func saysTheVerdict(l *ledger.Ledger, _ knows) string {
	in := l.Checkout.InForce()
	if in == nil || l.Gaps.Lost || l.Gaps.Deaf || l.DB.Unread() || l.DB.Unshown("check") {
		return ""
	}
	for _, s := range l.Sources.Sources {
		for _, run := range l.GitHub.LatestCheckRuns(s.Repo, s.SHA) {
			freight, stage, _ := strings.Cut(subjectOf(run), "/")
			p, known := l.DB.Seen.Promotions[promotionOf(run)]
			if run.App != "waybill" || !known || !p.Ended() || in.Stage(stage) == nil || l.DB.Owes(stage) {
				continue
			}
			is, known := standing(l, freight, stage, p)
			if !known {
				continue
			}
			claim := shown.OfCheck(run.Conclusion, run.Title)
			if wrong := claim.Contradiction(is); wrong != "" {
				return fmt.Sprintf("%s in %s: %s, and %s", freight, stage, run.Title, wrong)
			}
			if is.Bad && !claim.Bad {
				return fmt.Sprintf("%s in %s: %s, and it is bad", freight, stage, run.Title)
			}
		}
	}
	return ""
}

// standing says how freight stands in a stage that hosts it after a promotion has ended; false if it does not host it.
// What views say of drift and of what is taken back is not looked at.
func standing(l *ledger.Ledger, freight, stage string, p ledger.Promo) (is shown.Is, known bool) {
	verdicts := l.DB.Texts(`SELECT d.verdict FROM deployments d JOIN promotions p ON p.number = d.promotion
		WHERE d.stage = ? AND p.freight_name = ? AND d.left_at IS NULL`, stage, freight)
	if len(verdicts) != 1 {
		return is, false
	}
	return shown.Is{Here: true, Ended: true, Good: verdicts[0] == "passed", Bad: verdicts[0] == "failed",
		Partly: verdicts[0] == "", Undone: p.State == "failed", Drifted: true, Taken: true, Held: true}, true
}

// commentsSayTheVerdict checks that the comment on the pull request of freight does not contradict, in words or in its
// pictures, what the latest verdict is in the stages that host it. Where several warehouses take the pull request the
// rows of one stage cannot be told apart.
func commentsSayTheVerdict(l *ledger.Ledger, _ knows) string {
	in := l.Checkout.InForce()
	if in == nil || l.Gaps.Lost || l.Gaps.Deaf || l.DB.Unread() || l.DB.Unshown("comment") {
		return ""
	}
	for _, s := range l.Sources.Sources {
		if s.Number == 0 || len(s.Warehouses) != 1 {
			continue
		}
		freight := s.Name(s.Warehouses[0])
		for _, c := range l.GitHub.Comments(s.Repo, s.Number) {
			if !ledger.Sticky(c) {
				continue
			}
			for stage, line := range shown.OfComment(c.Body) {
				wrong := contradicts(l, in, freight, stage, line.Word, line.Picture)
				if wrong != "" {
					return fmt.Sprintf("%s in %s: %s, and %s", freight, stage, c.Body, wrong)
				}
			}
		}
	}
	return ""
}

// contradicts says what some claims about freight in a stage say that is not so; "" if nothing, or if there is nothing
// to compare with.
func contradicts(l *ledger.Ledger, in *shape.Pipeline, freight, stage string, claims ...shown.Claim) string {
	newest := l.DB.Count(`SELECT COALESCE(MAX(number), 0) FROM promotions WHERE stage = ? AND freight_name = ?`, stage,
		freight)
	p, known := l.DB.Seen.Promotions[int64(newest)]
	if !known || !p.Ended() || in.Stage(stage) == nil || l.DB.Owes(stage) {
		return ""
	}
	is, known := standing(l, freight, stage, p)
	for _, claim := range claims {
		if wrong := claim.Contradiction(is); known && wrong != "" {
			return wrong
		}
	}
	return ""
}

// messagesSayTheVerdict checks the same of the messages in Slack about promotions, of which the newest of each stage
// are kept up to date.
func messagesSayTheVerdict(l *ledger.Ledger, _ knows) string {
	in := l.Checkout.InForce()
	if in == nil || l.Chat == nil || l.Gaps.Lost || l.Gaps.Deaf || l.DB.Unread() || l.DB.Unshown("slack") {
		return ""
	}
	posted := messages(l)
	for _, v := range l.DB.Texts(`SELECT v.remote_id || ' ' || p.stage || ' ' || p.freight_name FROM views v
		JOIN promotions p ON p.number = v.promotion
		WHERE v.kind = 'slack' AND v.surface NOT LIKE 'slack:%/%/%' AND v.remote_id <> '' AND p.number = (
			SELECT MAX(number) FROM promotions n WHERE n.stage = p.stage)`) {
		words := strings.SplitN(v, " ", 3)
		_, ts, _ := strings.Cut(words[0], "/")
		if wrong := contradicts(l, in, words[2], words[1], shown.OfMessage(posted[ts])); wrong != "" {
			return fmt.Sprintf("%s in %s: %s, and %s", words[2], words[1], posted[ts], wrong)
		}
	}
	return ""
}
