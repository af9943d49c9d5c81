package gh

import (
	"net/http"
	glob "path"
	"strings"
)

// Class is the meaning of a refusal for the work that was refused.
type Class string

const (
	// ClassFinal is a no that stays: asking again changes nothing.
	ClassFinal Class = "final"
	// ClassRuled is a no of a rule of the branch. A merge waits until the rule is satisfied; a push never satisfies it.
	ClassRuled Class = "ruled"
	// ClassQueued is a no because the branch has a merge queue, which does the merging.
	ClassQueued Class = "queued"
	// ClassNotFound is a no because the thing asked for is not there.
	ClassNotFound Class = "not found"
	// ClassNoAccess is a no to everything in the repository. The work waits until access comes back.
	ClassNoAccess Class = "no access"
	// ClassLacking is a no because the account has not granted the App a permission, which the words name. The work waits
	// until it does.
	ClassLacking Class = "lacking"
	// ClassUnlisted is a no because GitHub lists only a part of the answer.
	ClassUnlisted Class = "unlisted"
	// ClassPassing is a no that may be over soon: something is not visible yet, or nobody knows these words.
	ClassPassing Class = "passing"
	// ClassLookAgain is a no because things are not as they were when they were read. What is there now decides.
	ClassLookAgain Class = "look again"
	// ClassTooMuch is a no because the request asks for too much at once. A smaller one is made.
	ClassTooMuch Class = "too much at once"
	// ClassSlow is no answer in time. The request is made again, and a large one smaller.
	ClassSlow Class = "slow"
	// ClassThrottled is a no because the installation makes content too fast. It makes none for some minutes.
	ClassThrottled Class = "throttled"
	// ClassLimited is a rate limit. Nothing is asked for the installation until it is over.
	ClassLimited Class = "limited"
	// ClassTrouble is GitHub's own, or the network's. It says nothing about the question.
	ClassTrouble Class = "trouble"
)

// refusal is a row of the table of refusals. An empty field matches everything.
type refusal struct {
	At     string // the request: its method and its path below the repository, or the path of a field of GraphQL
	Status int    // of the answer; 3 and 5 are every status that begins so
	Type   string // of an error of GraphQL
	Text   string // a part of GitHub's words
	Class  Class
	Source string // where that is written, or was seen
}

// refusals is everything that is known of GitHub's refusals. The first row that matches decides. A refusal that no row
// matches is ClassPassing: often enough GitHub refuses what it takes a minute later, and work that is tried again until
// the patience of the server ends loses nothing by it.
var refusals = []refusal{
	// limits
	{Text: "was submitted too quickly", Class: ClassThrottled, Source: "cli/cli#4801"},
	{Text: "secondary rate limit", Class: ClassLimited, Source: docsLimits},
	{Text: "secondary-rate-limits", Class: ClassLimited, Source: unverified},
	{Text: "abuse detection", Class: ClassLimited, Source: "octokit/plugin-throttling.js#22"},
	{Text: "abuse-rate-limits", Class: ClassLimited, Source: unverified},
	{Type: "RATE_LIMITED", Class: ClassLimited, Source: docsGraphLimits},
	{Type: "RATE_LIMIT", Class: ClassLimited, Source: "chdsbd/kodiak#906"},
	{Text: "API rate limit", Class: ClassLimited, Source: "upptime/upptime#786"},
	{Status: http.StatusTooManyRequests, Class: ClassLimited, Source: docsLimits},
	{Type: "RESOURCE_LIMITS_EXCEEDED", Class: ClassTooMuch, Source: "yoshi389111/github-profile-3d-contrib#163"},
	{Type: "MAX_NODE_LIMIT_EXCEEDED", Class: ClassTooMuch, Source: docsGraphLimits},

	// the repository as a whole
	{Text: "was archived so is read-only", Class: ClassNoAccess, Source: unverified},
	{Text: "installation has been suspended", Class: ClassNoAccess, Source: unverified},
	{Text: "has an IP allow list enabled", Class: ClassNoAccess, Source: "aquasecurity/trivy#10567"},
	{Text: "Repository access blocked", Class: ClassNoAccess, Source: unverified},
	{Status: http.StatusUnavailableForLegalReasons, Class: ClassNoAccess, Source: unverified},
	{Status: 3, Class: ClassNoAccess, Source: "octokit/fixtures#399"},
	{At: "*", Type: "NOT_FOUND", Class: ClassNoAccess, Source: unverified},
	{At: mintToken, Status: http.StatusNotFound, Class: ClassNoAccess, Source: docsToken},
	{At: mintToken, Status: http.StatusForbidden, Class: ClassNoAccess, Source: docsToken},
	{At: mintToken, Status: http.StatusUnprocessableEntity, Class: ClassNoAccess, Source: docsToken},

	// Git's own lag
	{Text: "Tree SHA does not exist", Class: ClassPassing, Source: "osunyorg/admin#3705"},
	{Text: "GitRPC::", Class: ClassPassing, Source: "osunyorg/admin#4384"},
	{Text: "is not a valid tree oid", Class: ClassPassing, Source: "PyGithub/PyGithub#1732"},
	{Text: "Parent SHA does not exist", Class: ClassPassing, Source: unverified},
	{Text: "Object does not exist", Class: ClassPassing, Source: unverified},
	{Text: "No commit found for SHA", Class: ClassPassing, Source: unverified},
	{Text: "Reference update failed", Class: ClassPassing, Source: "github/rest-api-description#4887"},
	{Text: "Head sha can't be blank", Class: ClassPassing, Source: "cli/cli#2691"},
	{Text: "Head ref must be a branch", Class: ClassPassing, Source: "cli/cli#2691"},
	{Text: "No commits between", Class: ClassPassing, Source: "cli/cli#2691"},

	// a pull request that is new
	{
		Status: http.StatusUnprocessableEntity, Text: "Could not resolve to a node", Class: ClassPassing,
		Source: "peter-evans/create-pull-request#4321",
	},
	{
		Status: http.StatusUnprocessableEntity, Text: "Issue not found", Class: ClassPassing,
		Source: "googleapis/release-please#2754",
	},

	// somebody was faster, or GitHub is still busy with what somebody did
	{Text: "already exists", Class: ClassLookAgain, Source: "renovatebot/renovate#20281"},
	{Text: "Reference does not exist", Class: ClassLookAgain, Source: "rust-lang/bors#591"},
	{Text: "branch was modified", Class: ClassLookAgain, Source: "open-learning-exchange/myplanet#15713"},
	{Text: "is not mergeable", Class: ClassLookAgain, Source: docsMerge},
	{Type: "STALE_DATA", Class: ClassLookAgain, Source: unverified},

	// what a branch allows
	{Text: "merge queue", Class: ClassQueued, Source: unverified},
	{Text: "Repository rule violations found", Class: ClassRuled, Source: "satisfactory-factories/application#67"},
	{
		Text: "Changes must be made through a pull request", Class: ClassRuled,
		Source: "googleapis/repo-automation-bots#5255",
	},
	{Text: "not authorized to push to this branch", Class: ClassRuled, Source: "pascalgn/automerge-action#3"},
	{Text: "protected branch", Class: ClassRuled, Source: unverified},
	{Text: "protected ref", Class: ClassRuled, Source: unverified},
	{Text: "Required status check", Class: ClassRuled, Source: unverified},
	{Text: "approving review", Class: ClassRuled, Source: unverified},

	// what GitHub cannot work out, however often it is asked
	{Text: "diff is taking too long", Class: ClassUnlisted, Source: "sonichi/sutando#3159"},

	// what we may not, or should not have sent
	{Text: notGranted, Class: ClassFinal, Source: docsPermissions},
	{Type: "INSUFFICIENT_SCOPES", Class: ClassFinal, Source: unverified},
	{Text: "refusing to allow a GitHub App", Class: ClassFinal, Source: unverified},
	{Text: "issue is locked", Class: ClassFinal, Source: "renovatebot/renovate#6215"},
	{Text: "Reviews may only be requested from", Class: ClassFinal, Source: "denog/routing-guide#118"},
	{Text: "is too long", Class: ClassFinal, Source: unverified},
	{Text: "doesn't exist on type", Class: ClassFinal, Source: unverified},
	{Text: "was provided invalid value", Class: ClassFinal, Source: unverified},
	{Status: http.StatusBadRequest, Class: ClassFinal, Source: docsTrouble},
	{
		At: "POST actions/runs/*/deployment_protection_rule", Status: http.StatusUnprocessableEntity, Class: ClassFinal,
		Source: unverified,
	},
	{
		At: "POST actions/workflows/*/dispatches", Status: http.StatusUnprocessableEntity, Class: ClassFinal,
		Source: unverified,
	},
	{
		At: "POST app/hook/deliveries/*/attempts", Status: http.StatusUnprocessableEntity, Class: ClassFinal,
		Source: unverified,
	},

	// what is not there
	{Type: "NOT_FOUND", Class: ClassNotFound, Source: docsTrouble},
	{Status: http.StatusNotFound, Class: ClassNotFound, Source: docsTrouble},
	{Status: http.StatusGone, Class: ClassNotFound, Source: docsTrouble},

	// GitHub's own trouble; with 401 a token that was revoked, or a clock that is wrong
	{Text: "Something went wrong while executing your query", Class: ClassSlow, Source: "cli/cli#10036"},
	{Type: "TIMEOUT", Class: ClassSlow, Source: unverified},
	{Status: http.StatusBadGateway, Class: ClassSlow, Source: "travisbrown/octocrabby#21"},
	{Status: http.StatusGatewayTimeout, Class: ClassSlow, Source: docsGraphLimits},
	{Type: "INTERNAL", Class: ClassTrouble, Source: unverified},
	{Type: "SERVICE_UNAVAILABLE", Class: ClassTrouble, Source: unverified},
	{Text: "Something went wrong", Class: ClassTrouble, Source: unverified},
	{Status: 5, Class: ClassTrouble, Source: docsTrouble},
	{Status: http.StatusRequestTimeout, Class: ClassTrouble, Source: unverified},
	{Status: http.StatusUnauthorized, Class: ClassTrouble, Source: docsTrouble},
}

// notGranted is how GitHub says that a token lacks a permission.
const notGranted = "not accessible by integration"

// isOff reports whether something was refused because the token lacks a permission.
func isOff(err error) bool {
	f := failureOf(classify(err))
	return f != nil && (f.class == ClassLacking || strings.Contains(f.text, notGranted))
}

// mintToken is the request for an installation's token.
const mintToken = "POST app/installations/*/access_tokens"

// Pages of GitHub's documentation.
const (
	docsLimits      = "docs: rest/using-the-rest-api/rate-limits-for-the-rest-api"
	docsGraphLimits = "docs: graphql/overview/rate-limits-and-query-limits-for-the-graphql-api"
	docsMerge       = "docs: rest/pulls/pulls#merge-a-pull-request"
	docsPermissions = "docs: apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app"
	docsToken       = "docs: rest/apps/apps#create-an-installation-access-token-for-an-app"
	docsTrouble     = "docs: rest/using-the-rest-api/troubleshooting-the-rest-api"
	unverified      = "unverified"
)

// meaningOf returns the class of a refusal: at which request, with which status or type, in which words.
func meaningOf(seen refusal) Class {
	for _, row := range refusals {
		if row.matches(seen) {
			return row.Class
		}
	}
	return ClassPassing
}

func (row refusal) matches(seen refusal) bool {
	if at, _ := glob.Match(row.At, seen.At); row.At != "" && (!at || seen.At == "") {
		return false
	}
	if !strings.Contains(strings.ToLower(seen.Text), strings.ToLower(row.Text)) {
		return false
	}
	return (row.Status == 0 || row.Status == seen.Status || row.Status == seen.Status/100) &&
		(row.Type == "" || row.Type == seen.Type)
}

// requestName is the name of a request in the table: its method, and its path below the repository.
func requestName(request *http.Request) string {
	if request == nil {
		return ""
	}
	below := strings.TrimPrefix(strings.TrimPrefix(request.URL.Path, "/api/v3"), "/")
	if parts := strings.SplitN(below, "/", 4); parts[0] == "repos" && len(parts) == 4 {
		below = parts[3]
	}
	return request.Method + " " + below
}

// ClassOf returns the class of an error; empty if it is none of GitHub's.
func ClassOf(err error) Class {
	if f := failureOf(err); f != nil {
		return f.class
	}
	return ""
}
