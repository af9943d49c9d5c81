package pages

import (
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode/utf8"
)

// clock returns the time of day, as the terminal shows it. A relative time would change the page every second.
func clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// day returns the date and the time, for tooltips.
func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") }

// short returns an abbreviated SHA.
func short(sha string) string { return sha[:min(len(sha), 7)] }

// appMark is the suffix of the logins of Apps.
const appMark = "[bot]"

func isApp(login string) bool { return strings.HasSuffix(login, appMark) }

// person returns the name to show for a login.
func person(login string) string { return strings.TrimSuffix(login, appMark) }

// hue returns the CSS class of the color of an avatar, derived from the login.
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

// initial returns the letter in an avatar.
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

// part has a page and an item on it, for templates that need both.
type part struct{ Page, Of any }

func on(page, of any) part { return part{page, of} }

// list is a list of pull requests, and the text for an empty list.
type list struct {
	Repo string
	Rows []pullRow
	None string
}

func rows(repo string, all []pullRow, none string) list { return list{repo, all, none} }

// opening is the description of a pull request, shown like its first comment.
type opening struct {
	By   string
	At   time.Time
	Body template.HTML
}

func says(by string, at time.Time, body template.HTML) opening { return opening{by, at, body} }

// press is a button in Slack with its label.
type press struct {
	Button button
	Label  string
}

func pressed(b button, label string) press { return press{b, label} }

// slacks reports whether a path is a page of Slack.
func slacks(path string) bool { return strings.HasPrefix(path, ownPrefix+"slack") }
