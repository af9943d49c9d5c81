package gh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"waybill/promotion"
)

const (
	// commitsPerQuery is how many commits one query asks about.
	commitsPerQuery = 50
	// The part of a commit's reports that a digest covers. A commit with more is read in full every time.
	mostSuites      = 20
	mostRuns        = 50
	mostDeployments = 20
)

// Digests returns a digest of everything that reports on each of some commits: check runs, statuses and deployments.
// The digest is the same as long as nothing of it has changed, which is much cheaper to ask than On is; it is empty for
// a commit that has to be read in full. One query asks about fifty commits, or as many as GitHub answers.
func (sg Signals) Digests(ctx context.Context, commits []promotion.SHA) (map[promotion.SHA]string, error) {
	digests := make(map[promotion.SHA]string, len(commits))
	if len(commits) == 0 {
		return digests, nil
	}
	err := inPortions(ctx, sg.c, "Glance", commitsPerQuery, commits, func(some []promotion.SHA) error {
		err := sg.digestPart(ctx, some, digests)
		if len(some) == 1 && ClassOf(err) == ClassTooMuch {
			digests[some[0]], err = "", nil
		}
		return err
	})
	return digests, sg.c.wrong(err, "read the digests of %d commits", len(commits))
}

func (sg Signals) digestPart(ctx context.Context, commits []promotion.SHA, digests map[promotion.SHA]string) error {
	document, variables := sg.c.graph.ofCommits("Glance", commits, "reports", reports)
	var answer struct {
		Repository map[string]json.RawMessage `json:"repository"`
	}
	if err := sg.c.graph.ask(ctx, document, variables, &answer); err != nil {
		return err
	}
	if answer.Repository == nil {
		return noAccess("GitHub shows no such repository", nil)
	}
	for i, sha := range commits {
		digests[sha] = digest(answer.Repository[fmt.Sprintf("c%d", i)])
	}
	return nil
}

// reports are the fields to ask for of a commit.
var reports = strings.Join([]string{
	"\nfragment reports on Commit {",
	fmt.Sprintf(" checkSuites(first: %d) { totalCount nodes { databaseId status conclusion updatedAt", mostSuites),
	fmt.Sprintf(" checkRuns(first: %d, filterBy: {checkType: ALL}) { totalCount nodes { databaseId "+
		"status conclusion } } } }", mostRuns),
	" status { contexts { id state createdAt } }",
	fmt.Sprintf(" deployments(first: %d) { totalCount nodes { databaseId updatedAt latestStatus { id state } } } }",
		mostDeployments),
}, "\n")

// digest sums up the reports on a commit; empty if they are not there or not all of them.
func digest(commit json.RawMessage) string {
	var seen struct {
		CheckSuites struct {
			counted
			Nodes []struct {
				CheckRuns counted `json:"checkRuns"`
			} `json:"nodes"`
		} `json:"checkSuites"`
		Deployments counted `json:"deployments"`
	}
	if string(commit) == "null" || json.Unmarshal(commit, &seen) != nil {
		return ""
	}
	if seen.CheckSuites.TotalCount > mostSuites || seen.Deployments.TotalCount > mostDeployments {
		return ""
	}
	for _, suite := range seen.CheckSuites.Nodes {
		if suite.CheckRuns.TotalCount > mostRuns {
			return ""
		}
	}
	sum := sha256.Sum256(commit)
	return hex.EncodeToString(sum[:12])
}

// counted is a list of which only the beginning was asked for.
type counted struct {
	TotalCount int `json:"totalCount"`
}
