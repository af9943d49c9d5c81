package invariant

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// tellsNoOther checks that no text in a repository of one organisation has a name of the other: those that its people
// have not written there themselves.
func tellsNoOther(l *ledger.Ledger, _ knows) string {
	if !l.Shape.Prying {
		return ""
	}
	for _, repo := range l.GitHub.Repos() {
		foreign := []string{shape.Other + "/", "n1"}
		if strings.HasPrefix(repo, shape.Other+"/") {
			foreign = []string{"acme/api", "bob", "eve", "dev.yaml", "prod.yaml"}
		}
		for _, text := range saidIn(l, repo) {
			if i := slices.IndexFunc(foreign, func(name string) bool { return strings.Contains(text, name) }); i >= 0 {
				return fmt.Sprintf("%s is told of %s: %s", repo, foreign[i], text)
			}
		}
	}
	if wrong := tellsWhatExists(l); wrong != "" {
		return wrong
	}
	if told := l.DB.Texts(`SELECT v.surface FROM views v JOIN pipelines p ON p.id = v.pipeline
		WHERE v.kind = 'slack' AND p.repo LIKE '` + shape.Other + `/%'`); len(told) > 0 {
		return "what nobody has claimed a channel for is told of in Slack: " + told[0]
	}
	return commandedFromElsewhere(l)
}

// tellsWhatExists returns two answers to the other installation about a repository that exists and one that does not,
// if they differ in more than its name.
func tellsWhatExists(l *ledger.Ledger) string {
	const repo = shape.Other + "/deploy"
	first := map[string]string{} // by how the repository is named
	for _, c := range l.GitHub.Commits(repo, "main") {
		file, _ := l.GitHub.File(repo, c.SHA, ".github/waybill.yml")
		_, named, found := strings.Cut(file, "{repo: acme/")
		if !found {
			continue
		}
		how := strings.Contains(file, "files: {repo:")
		name := "acme/" + named[:strings.IndexAny(named, ",}")]
		for _, text := range ofRuns(l.GitHub.CheckRuns(repo, c.SHA)) {
			text, key := strings.ReplaceAll(text, name, "NAME"), fmt.Sprint(how, strings.Contains(text, "cannot be used"))
			if first[key] == "" {
				first[key] = text
			}
			if strings.Contains(text, "cannot be used") && text != first[key] {
				return fmt.Sprintf("one is told %q, another one %q", first[key], text)
			}
		}
	}
	return ""
}

// saidIn lists what Waybill says in a repository: in comments, pull requests and check runs.
func saidIn(l *ledger.Ledger, repo string) (all []string) {
	for _, p := range l.GitHub.Pulls(repo) {
		if p.Author == "waybill[bot]" {
			all = append(all, p.Title+" "+p.Body)
		}
		for _, c := range l.GitHub.Comments(repo, p.Number) {
			if c.Author == "waybill[bot]" {
				all = append(all, c.Body)
			}
		}
		for _, sha := range []string{p.HeadSHA, p.MergeSHA} {
			all = append(all, ofRuns(l.GitHub.CheckRuns(repo, sha))...)
		}
	}
	return append(all, ofRuns(l.GitHub.CheckRuns(repo, l.GitHub.Head(repo, "main")))...)
}

func ofRuns(runs []githubsim.CheckRun) (all []string) {
	for _, run := range runs {
		if run.App == "waybill" {
			all = append(all, run.Name+" "+run.Title+" "+run.Summary+" "+run.Text)
		}
	}
	return all
}

// isHeardInItsChannel checks that each slash command in the channel of our stages was recorded as one to them. While
// people change the pipeline file, it may be that the program does not know the stage; once the App was away, nobody
// may have claimed the channel again.
func isHeardInItsChannel(l *ledger.Ledger, _ knows) string {
	if !l.Shape.Prying || l.Chat == nil || l.Checkout.Configured() > 1 || l.Gaps.Parted || l.Gaps.Forgot ||
		l.Gaps.Lost || l.DB.Unread() {
		return ""
	}
	for _, c := range l.Chat.Typed {
		if l.DB.Count(`SELECT COUNT(*) FROM requests WHERE surface LIKE 'slack:%/' || ?`, c.ID) == 0 {
			return fmt.Sprintf("nobody has heard %q about %s", c.Text, c.Stage)
		}
	}
	return ""
}

// commandedFromElsewhere returns a command in Slack that was taken for one to the other installation, to whose channel
// nobody writes.
func commandedFromElsewhere(l *ledger.Ledger) string {
	return l.DB.Text(`SELECT surface || ' ' || command FROM main.requests WHERE surface LIKE 'slack:%'
		AND pipeline NOT IN (SELECT id FROM main.pipelines WHERE repo = ?)`, shape.Home)
}
