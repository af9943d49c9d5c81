package gh

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

const (
	// shownOn is how many commits of a branch are looked at for the newest report of a name: as many as one query takes.
	// Who reports on a target does so on most merges, and forty targets of which each is merged by itself are forty
	// commits.
	shownOn = 50
	// askedAtOnce is how many environments one query asks about, and ownAmong in how many deployments of each one is
	// looked for that is not ours.
	askedAtOnce = 100
	ownAmong    = 10
)

// Shown returns the state of each of some conditions on a branch, in the words of webhooks: that of the newest report,
// or that an environment exists. A condition without a report has none. For any number of them, checks and statuses
// take one query, environments one request for a hundred that there are, and deployments one query for a hundred of
// them.
func (sg Signals) Shown(
	ctx context.Context, branch string, conditions []promotion.Condition,
) (map[promotion.Condition]string, error) {
	self, err := sg.c.self(ctx)
	if err != nil {
		return nil, err
	}
	s := &showing{
		client: sg.c, self: self,
		of:     map[promotion.SignalKind][]promotion.Condition{},
		states: map[promotion.Condition]string{},
	}
	for _, one := range conditions {
		s.of[one.Kind] = append(s.of[one.Kind], one)
	}
	for _, read := range []func(context.Context, string) error{s.reports, s.environments, s.deployments} {
		if err := read(ctx, branch); err != nil {
			return nil, sg.c.wrong(err, "read what is reported on %s", branch)
		}
	}
	return s.states, nil
}

// showing collects the states of conditions.
type showing struct {
	client *Client
	self   Self
	of     map[promotion.SignalKind][]promotion.Condition
	states map[promotion.Condition]string
}

// shownCommit has the reports on a commit, as GraphQL tells them.
type shownCommit struct {
	OID    promotion.SHA `json:"oid"`
	Status *struct {
		Contexts []struct {
			Context string   `json:"context"`
			State   string   `json:"state"`
			Creator *account `json:"creator"`
		} `json:"contexts"`
	} `json:"status"`
	CheckSuites struct {
		counted
		Nodes []struct {
			App *struct {
				Slug       string `json:"slug"`
				DatabaseID int64  `json:"databaseId"`
			} `json:"app"`
			CheckRuns struct {
				counted
				Nodes []struct {
					DatabaseID int64  `json:"databaseId"`
					Name       string `json:"name"`
					Status     string `json:"status"`
					Conclusion string `json:"conclusion"`
				} `json:"nodes"`
			} `json:"checkRuns"`
		} `json:"nodes"`
	} `json:"checkSuites"`
}

// account is an account in an answer of GraphQL.
type account struct {
	Kind  string `json:"__typename"`
	Login string `json:"login"`
}

// ours reports whether it is our App's bot. In GraphQL its login is the slug.
func (a *account) ours(self Self) bool {
	return a != nil && a.Kind == "Bot" && strings.EqualFold(strings.TrimSuffix(a.Login, "[bot]"), self.Slug)
}

// reports finds the newest check runs and statuses, from the head of the branch backwards.
func (s *showing) reports(ctx context.Context, branch string) error {
	checks, statuses := len(s.of[promotion.KindCheck]) > 0, len(s.of[promotion.KindStatus]) > 0
	if !checks && !statuses {
		return nil
	}
	return s.client.Signals.eachShown(ctx, branch, checks, statuses, func(commit shownCommit) error {
		return s.reportedOn(ctx, commit)
	})
}

// eachShown calls a function with each of the newest commits of a branch and the check runs or statuses on it, from the
// head of the branch backwards.
func (sg Signals) eachShown(
	ctx context.Context, branch string, checks, statuses bool, see func(shownCommit) error,
) error {
	variables := map[string]any{
		"owner": sg.c.owner, "name": sg.c.name, "ref": "refs/heads/" + branch, "checks": checks, "statuses": statuses,
	}
	more := true
	return inPortions(ctx, sg.c, "Shown", shownOn, make([]struct{}, shownOn), func(some []struct{}) error {
		if !more {
			return nil
		}
		variables["first"] = len(some)
		commits, end, left, err := sg.shownOf(ctx, variables)
		if err != nil {
			return err
		}
		for _, commit := range commits {
			if err := see(commit); err != nil {
				return err
			}
		}
		variables["after"], more = end, left
		return nil
	})
}

// shownOf reads some commits of the history, and returns where those before them begin, if there are any.
func (sg Signals) shownOf(
	ctx context.Context, variables map[string]any,
) (commits []shownCommit, end *string, more bool, err error) {
	var answer struct {
		Repository *struct {
			Ref *struct {
				Target struct {
					History struct {
						Nodes    []shownCommit `json:"nodes"`
						PageInfo struct {
							HasNextPage bool    `json:"hasNextPage"`
							EndCursor   *string `json:"endCursor"`
						} `json:"pageInfo"`
					} `json:"history"`
				} `json:"target"`
			} `json:"ref"`
		} `json:"repository"`
	}
	if err := sg.c.graph.ask(ctx, shownQuery, variables, &answer); err != nil {
		return nil, nil, false, err
	}
	if answer.Repository == nil {
		return nil, nil, false, noAccess("GitHub shows no such repository", nil)
	}
	if answer.Repository.Ref == nil {
		return nil, nil, false, nil // a branch that is not there shows nothing
	}
	history := answer.Repository.Ref.Target.History
	return history.Nodes, history.PageInfo.EndCursor, history.PageInfo.HasNextPage, nil
}

var shownQuery = fmt.Sprintf(
	`query Shown($owner: String!, $name: String!, $ref: String!, $checks: Boolean!, $statuses: Boolean!, $first: Int!,
  $after: String) {
  repository(owner: $owner, name: $name) { ref(qualifiedName: $ref) { target { ... on Commit {
    history(first: $first, after: $after) { pageInfo { hasNextPage endCursor } nodes { oid
    status @include(if: $statuses) { contexts { context state creator { __typename login } } }
    checkSuites(first: %d) @include(if: $checks) { totalCount nodes { app { slug databaseId }
      checkRuns(first: %d, filterBy: {checkType: LATEST}) { totalCount nodes { databaseId name status conclusion } } } }
    } } } } } } }`,
	mostSuites, mostRuns,
)

// reportedOn notes the reports on a commit, of names that nothing newer has reported.
func (s *showing) reportedOn(ctx context.Context, commit shownCommit) error {
	statuses := map[string]string{}
	if commit.Status != nil {
		for _, one := range commit.Status.Contexts {
			if !one.Creator.ours(s.self) {
				statuses[one.Context] = strings.ToLower(one.State)
			}
		}
	}
	for _, one := range s.of[promotion.KindStatus] {
		s.note(one, statuses[one.Name])
	}
	if !slices.ContainsFunc(s.of[promotion.KindCheck], s.open) {
		return nil
	}
	runs, err := s.runsOn(ctx, commit)
	if err != nil {
		return err
	}
	for _, one := range s.of[promotion.KindCheck] {
		s.note(one, runs[appRun{one.App, one.Name}].state)
	}
	return nil
}

// open reports whether nothing is known of a condition yet.
func (s *showing) open(c promotion.Condition) bool { return s.states[c] == "" }

func (s *showing) note(c promotion.Condition, state string) {
	if s.open(c) && state != "" {
		s.states[c] = state
	}
}

// appRun is the name and App of a check run, and newestRun the newest of them.
type (
	appRun    struct{ app, name string }
	newestRun struct {
		id    int64
		state string
	}
)

// runsOn returns the newest check run of each name on a commit. Where more reports than a query shows, GitHub is asked
// for the names of which nothing is known yet.
func (s *showing) runsOn(ctx context.Context, commit shownCommit) (map[appRun]newestRun, error) {
	newest := map[appRun]newestRun{}
	add := func(app, name string, id int64, state string) {
		if key := (appRun{app, name}); id > newest[key].id {
			newest[key] = newestRun{id, state}
		}
	}
	for _, suite := range commit.CheckSuites.Nodes {
		if suite.App == nil || suite.App.DatabaseID == s.self.AppID {
			continue
		}
		for _, run := range suite.CheckRuns.Nodes {
			state := run.Status
			if run.Status == "COMPLETED" {
				state = run.Conclusion
			}
			add(suite.App.Slug, run.Name, run.DatabaseID, strings.ToLower(state))
		}
	}
	if !commit.overflows() {
		return newest, nil
	}
	for _, name := range s.openChecks() {
		all, err := s.client.Signals.named(ctx, commit.OID, name)
		if err != nil {
			return nil, err
		}
		for _, run := range all {
			add(run.App, run.Name, run.ID, run.State)
		}
	}
	return newest, nil
}

// mostNamed is of how many names of checks each is asked for by itself; of more, all checks are read.
const mostNamed = 5

// openChecks lists the names of checks of which nothing is known yet, each once; no name stands for all.
func (s *showing) openChecks() (names []string) {
	for _, c := range s.of[promotion.KindCheck] {
		if s.open(c) && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) > mostNamed {
		return []string{""}
	}
	return names
}

// overflows reports whether more checks report on a commit than were answered.
func (c *shownCommit) overflows() bool {
	if c.CheckSuites.TotalCount > mostSuites {
		return true
	}
	for _, suite := range c.CheckSuites.Nodes {
		if suite.CheckRuns.TotalCount > mostRuns {
			return true
		}
	}
	return false
}
