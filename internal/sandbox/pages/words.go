package pages

import (
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode/utf8"
)

// clock is the time of day, as the terminal shows it. How long ago that was would make a page look new every second.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// day is the time with its date, for who points at it.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") }

// short is a SHA as people write it.
func short(sha string) string { return sha[:min(len(sha), 7)] }

// appMark ends the logins of Apps.
const appMark = "[bot]"

func isApp(login string) bool { return strings.HasSuffix(login, appMark) }

// person is what somebody is called.
func person(login string) string { return strings.TrimSuffix(login, appMark) }

// hue tells apart the pictures of people, who have none.
func hue(login string) string {
	if isApp(login) {
		return "app"
	}
	sum := 0
	for _, r := range login {
		sum = sum*7 + int(r)
	}
	return fmt.Sprintf("hue%d", sum%7)
}

// initial is what the picture of somebody shows.
func initial(login string) string {
	r, _ := utf8.DecodeRuneInString(login)
	return strings.ToUpper(string(r))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// part is something on a page, for a template that needs both.
type part struct{ Page, Of any }

func on(page, of any) part { return part{page, of} }

// list is a list of pull requests of a repository, and what to say where there are none.
type list struct {
	Repo string
	Rows []pullRow
	None string
}

func rows(repo string, all []pullRow, none string) list { return list{repo, all, none} }

// opening is the description with which a pull request begins.
type opening struct {
	By   string
	At   time.Time
	Body template.HTML
}

func says(by string, at time.Time, body template.HTML) opening { return opening{by, at, body} }

// press is a button and what it says.
type press struct {
	Button button
	Label  string
}

func pressed(b button, label string) press { return press{b, label} }

// slacks reports whether a page is one of Slack.
func slacks(path string) bool { return strings.HasPrefix(path, ownPrefix+"slack") }
