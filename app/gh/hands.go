package gh

import (
	"context"
	"fmt"
	"strings"

	"waybill/promotion"
)

// mostCommits is how many commits of a pull request are read for their people, and mostAuthors how many authors of one;
// mostStacked is how many pull requests that were merged into the branches of others are read for one freight, and
// mostMergedAs how many that have a commit are read for the one that was merged as it.
const (
	mostCommits  = 100
	mostAuthors  = 10
	mostStacked  = 30
	mostMergedAs = 20
)

// makers reads who has made a freight.
type makers struct {
	*Client
	left int // of mostStacked
}

const whoFields = `
fragment who on Actor { __typename login ... on User { databaseId } ... on Bot { databaseId } }`

// handFields are the people of a commit. Of a commit that a person has made on GitHub's pages
// GitHub is the committer.
var handFields = fmt.Sprintf(`
fragment hands on Commit { oid committedViaWeb committer { ...person }
	authors(first: %d) { totalCount nodes { ...person } } }
fragment person on GitActor { name email user { databaseId login } }`, mostAuthors)

// Hands reads who has played a part in a merged pull request: who opened it, who merged it, who pushed to its branch,
// the authors and committers of its commits, and the same people of pull requests merged into its branch.
func (pl Pulls) Hands(ctx context.Context, number int) (promotion.Hands, error) {
	return (&makers{pl.c, mostStacked}).ofPull(ctx, pl.c.repo, number)
}

// Hands reads who has made a commit. If a pull request was merged as it, they are those of the pull request; else
// whoever pushed it. Its authors and its committer count in either case.
func (cm Commits) Hands(ctx context.Context, commit promotion.SHA) (promotion.Hands, error) {
	return (&makers{cm.c, mostStacked}).ofCommit(ctx, cm.c.repo, commit)
}

func (m *makers) ofPull(ctx context.Context, repo promotion.Repo, number int) (promotion.Hands, error) {
	document := fmt.Sprintf(`query Hands($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    %s author { ...who } mergedBy { ...who } commits(first: %d) { totalCount nodes { commit { ...hands } } } } }
}`, branchFields, mostCommits) + whoFields + handFields
	var answer struct {
		Repository *struct {
			Pull *struct {
				headOf
				Author   *who `json:"author"`
				MergedBy *who `json:"mergedBy"`
				Commits  struct {
					TotalCount int `json:"totalCount"`
					Nodes      []struct {
						Commit handNode `json:"commit"`
					} `json:"nodes"`
				} `json:"commits"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	owner, name, _ := strings.Cut(string(repo), "/")
	err := m.graph.ask(ctx, document, map[string]any{"owner": owner, "name": name, "number": number}, &answer)
	if err == nil && (answer.Repository == nil || answer.Repository.Pull == nil) {
		err = noAccess("GitHub shows no such pull request", nil)
	}
	if err != nil {
		return promotion.Hands{}, m.wrong(err, "read who has made #%d", number)
	}
	p := answer.Repository.Pull
	hands := promotion.Hands{All: []promotion.Hand{
		p.Author.hand(promotion.AuthorPart), p.MergedBy.hand(promotion.MergerPart),
	}}
	commits := map[promotion.SHA]bool{}
	for _, n := range p.Commits.Nodes {
		commits[n.Commit.OID] = true
		hands.All = append(hands.All, n.Commit.hands()...)
	}
	if p.Commits.TotalCount > len(p.Commits.Nodes) {
		hands.All = append(hands.All, promotion.Hand{Part: promotion.AuthorPart,
			Text: fmt.Sprintf("it has %d commits, and the first %d were read", p.Commits.TotalCount, mostCommits)})
	}
	pushers, err := m.pushersOf(ctx, p.headOf, p.Author, commits)
	if err != nil {
		return promotion.Hands{}, err
	}
	hands.All = append(hands.All, pushers...)
	return hands, nil
}

func (m *makers) ofCommit(
	ctx context.Context, repo promotion.Repo, commit promotion.SHA,
) (promotion.Hands, error) {
	document := fmt.Sprintf(`query Hands($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { defaultBranchRef { name } object(oid: $oid) { ... on Commit { ...hands
    associatedPullRequests(first: %d) { nodes { number mergedBy { ...who } mergeCommit { oid } } } } } }
}`, mostMergedAs) + whoFields + handFields
	var answer struct {
		Repository *struct {
			Default struct {
				Name string `json:"name"`
			} `json:"defaultBranchRef"`
			Commit *struct {
				handNode
				Pulls struct {
					Nodes []struct {
						Number   int  `json:"number"`
						MergedBy *who `json:"mergedBy"`
						As       struct {
							OID promotion.SHA `json:"oid"`
						} `json:"mergeCommit"`
					} `json:"nodes"`
				} `json:"associatedPullRequests"`
			} `json:"object"`
		} `json:"repository"`
	}
	owner, name, _ := strings.Cut(string(repo), "/")
	err := m.graph.ask(ctx, document, map[string]any{"owner": owner, "name": name, "oid": commit}, &answer)
	if err == nil && (answer.Repository == nil || answer.Repository.Commit == nil ||
		answer.Repository.Commit.OID != commit) {
		err = noAccess("GitHub shows no such commit", nil)
	}
	if err != nil {
		return promotion.Hands{}, m.wrong(err, "read who has made %s", commit)
	}
	made := answer.Repository.Commit
	hands := promotion.Hands{All: made.hands()}
	for _, p := range made.Pulls.Nodes {
		if p.As.OID == commit {
			hands.All = append(hands.All, p.MergedBy.hand(promotion.CommitPusherPart))
			of, err := m.ofPull(ctx, repo, p.Number)
			hands.All = append(hands.All, of.All...)
			return hands, err
		}
	}
	brought, err := m.pushersAt(ctx, repo, commit, answer.Repository.Default.Name)
	hands.All = append(hands.All, brought...)
	return hands, err
}

// who is an account in an answer.
type who struct {
	Kind       string          `json:"__typename"`
	DatabaseID int64           `json:"databaseId"`
	Login      promotion.Login `json:"login"`
}

// hand returns the part that an account has played. A bot that opens or merges a pull request is nobody who could sign
// it off, and the commits have people of their own.
func (w *who) hand(p promotion.Part) promotion.Hand {
	if w == nil {
		return promotion.Hand{Part: p, Text: "the account is gone"}
	}
	return promotion.Hand{Part: p, By: promotion.Actor{ID: w.DatabaseID, Login: w.Login}}
}

// handNode has the people of a commit.
type handNode struct {
	OID       promotion.SHA `json:"oid"`
	ViaWeb    bool          `json:"committedViaWeb"`
	Committer gitPerson     `json:"committer"`
	Authors   struct {
		TotalCount int         `json:"totalCount"`
		Nodes      []gitPerson `json:"nodes"`
	} `json:"authors"`
}

// gitPerson is a name in a commit, with the account of its e-mail address. GitHub shows people only, and no bot.
type gitPerson struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	User  author `json:"user"`
}

// bot reports whether the address is one that GitHub gives to a bot, as in
// 29139614+renovate[bot]@users.noreply.github.com. No login of a person has brackets, so nobody who could sign anything
// off has such an address. Whoever writes it into a commit of their own is not known by it, as they would not be by the
// address of somebody else: who pushed the commit is another question.
func (p gitPerson) bot() bool {
	return strings.Contains(strings.ToLower(p.Email), "[bot]@users.noreply.")
}

func (n *handNode) hands() (all []promotion.Hand) {
	short := short(n.OID)
	hand := func(p promotion.Part, one gitPerson) {
		h := promotion.Hand{Part: p, By: one.User.actor()}
		if h.By.ID == 0 {
			if one.bot() {
				return
			}
			h.Text = fmt.Sprintf("the mail address of %s in commit %s is that of no account", one.Name, short)
		}
		all = append(all, h)
	}
	for _, one := range n.Authors.Nodes {
		hand(promotion.AuthorPart, one)
	}
	if n.Authors.TotalCount > len(n.Authors.Nodes) || len(n.Authors.Nodes) == 0 {
		all = append(all, promotion.Hand{Part: promotion.AuthorPart,
			Text: fmt.Sprintf("commit %s has %d authors, and %d were read", short, n.Authors.TotalCount, len(n.Authors.Nodes))})
	}
	if !n.ViaWeb {
		hand(promotion.CommitterPart, n.Committer)
	}
	return all
}
