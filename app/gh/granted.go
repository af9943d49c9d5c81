package gh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	glob "path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/go-github/v60/github"
)

// Grant is a permission of the App, as GitHub's API calls it, at a level: "read" or "write".
type Grant struct{ Name, Level string }

// titles are the names of permissions on GitHub's pages, where they are not those of its API.
var titles = map[string]string{"statuses": "Commit statuses", "members": "Members (organization)"}

// Title returns the name of the permission on GitHub's pages.
func (g Grant) Title() string {
	if title := titles[g.Name]; title != "" {
		return title
	}
	words := strings.ReplaceAll(g.Name, "_", " ")
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// String returns the permission as people know it.
func (g Grant) String() string { return fmt.Sprintf("%s (%s)", g.Title(), g.Level) }

// In reports whether permissions, by name, include this one.
func (g Grant) In(granted map[string]string) bool {
	level := granted[g.Name]
	return level == g.Level || level == "write" || level == "admin"
}

// lacking is the error of something that needs a permission which the App lacks; of several, GitHub does not say which.
// It is always ErrNoAccess, too: the work waits until they are granted.
func lacking(all ...Grant) error {
	text := "the App lacks the permission " + all[0].String()
	if len(all) > 1 {
		text = "the App lacks a permission, and GitHub does not say which: one of " + inOrder(all)
	}
	return &failure{class: ClassLacking, text: text}
}

// lackingFor is the error of a field of GraphQL of which it is not known what it needs, where the App lacks some.
func lackingFor(field string, all []Grant) error {
	those := "perhaps "
	if len(all) > 1 {
		those = "perhaps one of "
	}
	return &failure{class: ClassLacking, text: fmt.Sprintf(
		"the App lacks a permission for %s, and GitHub does not say which: %s%s", field, those, inOrder(all))}
}

// inOrder lists permissions.
func inOrder(all []Grant) string {
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = g.String()
	}
	return strings.Join(names, ", ")
}

// requestNeeds is the permission that a request needs, by its path; the first row that matches
// decides. Its level is "read" where nothing is changed, unless the row has one.
var requestNeeds = []struct {
	path  string
	needs Grant
}{
	{"actions/runs/*/deployment_protection_rule", Grant{Name: "deployments"}},
	{"actions/*", Grant{Name: "actions"}},
	{"environments*", Grant{Name: "actions"}},
	{"check-runs*", Grant{Name: "checks"}},
	{"check-suites*", Grant{Name: "checks"}},
	{"commits/*/check-runs", Grant{Name: "checks"}},
	{"commits/*/check-suites", Grant{Name: "checks"}},
	{"commits/*/statuses", Grant{Name: "statuses"}},
	{"commits/*/pulls", Grant{Name: "pull_requests"}},
	{"deployments*", Grant{Name: "deployments"}},
	{"issues/*", Grant{Name: "issues"}},
	{"pulls/*/merge", Grant{"contents", "write"}},
	{"pulls*", Grant{Name: "pull_requests"}},
	{"git/*", Grant{Name: "contents"}},
	{"contents/*", Grant{Name: "contents"}},
	{"commits*", Grant{Name: "contents"}},
	{"compare/*", Grant{Name: "contents"}},
	{"activity", Grant{Name: "contents"}},
	{"orgs/*/teams/*/memberships/*", Grant{Name: "members"}},
	{"*/*/packages/container/*/versions", Grant{Name: "packages"}},
}

// fieldNeeds is the permission that a field of GraphQL needs: a mutation, or the last part of the path to what is null.
// Where there are several, it is one of these: GitHub does not say which.
var fieldNeeds = map[string][]Grant{
	"createCheckRun": {{"checks", "write"}}, "updateCheckRun": {{"checks", "write"}}, "checkRun": {{"checks", "read"}},
	"checkSuites": {{"checks", "read"}}, "checkRuns": {{"checks", "read"}},
	"status": {{"statuses", "read"}}, "contexts": {{"statuses", "read"}},
	"deployments": {{"deployments", "read"}}, "createDeploymentStatus": {{"deployments", "write"}},
	"deploymentStatus": {{"deployments", "read"}}, "latestStatus": {{"deployments", "read"}},
	"statuses":        {{"deployments", "read"}},
	"minimizeComment": {{"issues", "write"}}, "labels": {{"issues", "read"}},
	"createRef": {{"contents", "write"}}, "updateRefs": {{"contents", "write"}},
	"createPullRequest": {{"pull_requests", "write"}}, "updatePullRequest": {{"pull_requests", "write"}},
	"enqueuePullRequest": {{"contents", "write"}, {"pull_requests", "write"}},
	"dequeuePullRequest": {{"contents", "write"}, {"pull_requests", "write"}},
	"pullRequest":        {{"pull_requests", "read"}}, "pullRequests": {{"pull_requests", "read"}},
	"associatedPullRequests": {{"pull_requests", "read"}}, "isInMergeQueue": {{"pull_requests", "read"}},
	"ref": {{"contents", "read"}}, "refs": {{"contents", "read"}}, "object": {{"contents", "read"}},
	"defaultBranchRef": {{"contents", "read"}}, "target": {{"contents", "read"}},
	"commit": {{"contents", "read"}}, "mergeCommit": {{"contents", "read"}}, "tagCommit": {{"contents", "read"}},
	"commits": {{"contents", "read"}, {"pull_requests", "read"}},
	"history": {{"contents", "read"}}, "tree": {{"contents", "read"}}, "file": {{"contents", "read"}},
	"release": {{"contents", "read"}}, "releases": {{"contents", "read"}},
}

// neededBy returns the permission that a request needs; the zero value if it is not known, or every token has it.
func neededBy(request *http.Request) Grant {
	method, path, _ := strings.Cut(requestName(request), " ")
	for _, row := range requestNeeds {
		begin, open := strings.CutSuffix(row.path, "*")
		is, _ := glob.Match(row.path, path)
		if !is && !(open && strings.HasPrefix(path, begin) && !strings.Contains(begin, "*")) {
			continue
		}
		needs := row.needs
		switch {
		case needs.Level != "":
		case method == http.MethodGet:
			needs.Level = "read"
		default:
			needs.Level = "write"
		}
		return needs
	}
	return Grant{}
}

// permissionsOf returns the permissions of a scope by their names.
func permissionsOf(scope *github.InstallationPermissions) map[string]string {
	all := map[string]string{}
	text, err := json.Marshal(scope)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		panic(err) // unreachable: all fields are texts
	}
	return all
}

// scopeOf is the reverse of permissionsOf.
func scopeOf(permissions map[string]string) *github.InstallationPermissions {
	scope := &github.InstallationPermissions{}
	text, err := json.Marshal(permissions)
	if err == nil {
		err = json.Unmarshal(text, scope)
	}
	if err != nil {
		panic(err) // unreachable, as above
	}
	return scope
}

// granted returns what is left of a scope where the account has not granted all of it, and the permissions that it
// lacks, in the order of their names. Each feature is off by itself then.
func (i *installationState) granted(
	ctx context.Context, scope github.InstallationTokenOptions,
) (github.InstallationTokenOptions, []Grant, error) {
	installation, _, err := i.hub.app.Apps.GetInstallation(ctx, i.id)
	if err != nil {
		return scope, nil, classify(err)
	}
	has, left := permissionsOf(installation.GetPermissions()), map[string]string{}
	var lacks []Grant
	asked := permissionsOf(scope.Permissions)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		switch g := (Grant{name, asked[name]}); {
		case g.In(has):
			left[name] = asked[name]
		case has[name] != "":
			left[name], lacks = has[name], append(lacks, g)
		default:
			lacks = append(lacks, g)
		}
	}
	scope.Permissions = scopeOf(left)
	return scope, lacks, nil
}

// lessFor is how long a token with fewer permissions is used before Waybill asks for all of them again, which the
// account may have granted meanwhile. For as long a refusal is believed that names a permission which the token has.
const lessFor = 5 * time.Minute

// Regranted has the next request of each client of an installation ask for a token with all permissions again: the
// account may have granted more.
func (h *Hub) Regranted(installation int64) {
	i := h.installationOf(installation)
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, key := range i.scopes.Keys() {
		if s, ok := i.scopes.Peek(key); ok {
			s.bearer.renew()
		}
	}
}

// lacks returns the error of something that needs permissions of which the client's token does not have all; nil if it
// has them, or if there is no token yet.
func (g graph) lacks(ctx context.Context, needs []Grant) error {
	if b := g.bearer(ctx); b != nil {
		return b.lack(needs...)
	}
	return nil
}

// bearer returns what adds the client's token to a request; nil if that is not known.
func (g graph) bearer(ctx context.Context) *bearer {
	i, err := g.c.by(ctx)
	if err != nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if s, ok := i.scopes.Get(workOn(i.id, g.c.repo)); ok {
		return s.bearer
	}
	return nil
}

// refusedField returns the error of a field of GraphQL that the token may not have; nil if that is not the reason. It
// is transient where a new token will show the reason.
func (g graph) refusedField(ctx context.Context, e graphQLError) error {
	b := g.bearer(ctx)
	if b == nil || !strings.Contains(e.Message, notGranted) {
		return nil
	}
	field := e.field()
	needs := fieldNeeds[field]
	if len(needs) == 0 {
		return b.lackFor(field, strings.HasPrefix(e.document, "mutation"))
	}
	err := b.lack(needs...)
	if err == nil && b.suspect(e.used, needs[0]) {
		err = transient(0, e.Message, nil)
	}
	return err
}

// field is the field that was refused. Of an element of a list it is the field which has the list.
func (e graphQLError) field() string {
	for _, part := range slices.Backward(e.Path) {
		if name, is := part.(string); is && name != "nodes" {
			return fieldCalled(e.document, name)
		}
	}
	return "a field"
}

// fieldCalled returns the field for which a document has a name of its own, or the name itself.
func fieldCalled(document, name string) string {
	_, field, is := strings.Cut(document, " "+name+": ")
	if !is {
		return name
	}
	return field[:len(field)-len(strings.TrimLeftFunc(field, unicode.IsLetter))]
}

// isLacking reports whether something was refused because the token lacks a permission.
func isLacking(err error) bool { return errors.Is(classify(err), ErrLacking) }
