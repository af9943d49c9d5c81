package promotion

import (
	"regexp"
	"slices"
	"sync"
)

// closing finds the words by which GitHub closes an issue when a pull request is merged, and the issue behind them.
var closing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+` +
		`(?:https?://[^\s/]+/([\w.-]+/[\w.-]+)/issues/(\d{1,10})|([\w.-]+/[\w.-]+)?#(\d{1,10}))\b`)
})

// remark finds comments of HTML, of which the templates of pull requests are full.
var remark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`) })

// mostIssues bounds how many issues are told of a pull request.
const mostIssues = 10

// IssuesIn returns the issues that a pull request of a repository closes by its text, as "acme/api#12", each once.
func IssuesIn(text string, repo Repo) (all []string) {
	for _, m := range closing().FindAllStringSubmatch(remark().ReplaceAllString(text, " "), -1) {
		issue := m[1] + m[3] + "#" + m[2] + m[4]
		if m[1]+m[3] == "" {
			issue = string(repo) + issue
		}
		if !slices.Contains(all, issue) && len(all) < mostIssues {
			all = append(all, issue)
		}
	}
	return all
}
