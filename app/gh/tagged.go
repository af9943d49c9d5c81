package gh

import (
	"context"
	"time"

	"waybill/promotion"
)

// List lists the published releases of a repository: the hundred newest, and those behind them as long as there is one
// among a hundred that was published at or after a time. GitHub orders them by their commits.
func (rl Releases) List(ctx context.Context, since time.Time) ([]promotion.Tagged, error) {
	const document = `query($owner: String!, $name: String!, $after: String) { repository(owner: $owner, name: $name) {
		page: releases(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: DESC}) {
			nodes { ...release } pageInfo { hasNextPage endCursor } } } }` + releaseFields
	all, err := tagged[releaseNode](ctx, rl.c, document, since)
	return all, rl.c.wrong(err, "list releases")
}

// Read reads the release of a tag; found is false if there is none, or it is not published.
func (rl Releases) Read(ctx context.Context, tag string) (t promotion.Tagged, found bool, err error) {
	const document = `query($owner: String!, $name: String!, $tag: String!) { repository(owner: $owner, name: $name) {
		one: release(tagName: $tag) { ...release } } }` + releaseFields
	t, found, err = oneTagged[releaseNode](ctx, rl.c, document, tag)
	return t, found, rl.c.wrong(err, "read release %s", tag)
}

// List lists the tags of a repository: the hundred with the newest commits, and those behind them as long as there is
// one among a hundred that is dated at or after a time.
func (tg Tags) List(ctx context.Context, since time.Time) ([]promotion.Tagged, error) {
	const document = `query($owner: String!, $name: String!, $after: String) { repository(owner: $owner, name: $name) {
		page: refs(refPrefix: "refs/tags/", first: 100, after: $after, orderBy: {field: TAG_COMMIT_DATE, direction: DESC}) {
			nodes { ...tag } pageInfo { hasNextPage endCursor } } } }` + tagFields
	all, err := tagged[tagNode](ctx, tg.c, document, since)
	return all, tg.c.wrong(err, "list tags")
}

// Read reads a tag; found is false if there is none, or it names no commit.
func (tg Tags) Read(ctx context.Context, tag string) (t promotion.Tagged, found bool, err error) {
	const document = `query($owner: String!, $name: String!, $tag: String!) { repository(owner: $owner, name: $name) {
		one: ref(qualifiedName: $tag) { ...tag } } }` + tagFields
	t, found, err = oneTagged[tagNode](ctx, tg.c, document, "refs/tags/"+tag)
	return t, found, tg.c.wrong(err, "read tag %s", tag)
}

// node is a release or a tag in an answer; is is false for one that cannot be taken.
type node interface {
	tagged() (t promotion.Tagged, is bool)
}

// mostTagged bounds how many pages of a hundred are asked for.
const mostTagged = 50

// tagged asks page by page.
func tagged[N node](
	ctx context.Context, c *Client, document string, since time.Time,
) (all []promotion.Tagged, err error) {
	variables := map[string]any{"owner": c.owner, "name": c.name, "after": nil}
	more := true
	for page := 0; more && page < mostTagged; page++ {
		var answer struct {
			Repository *struct {
				Page struct {
					Nodes    []N      `json:"nodes"`
					PageInfo pageInfo `json:"pageInfo"`
				} `json:"page"`
			} `json:"repository"`
		}
		if err := c.graph.ask(ctx, document, variables, &answer); err != nil {
			return nil, err
		}
		if answer.Repository == nil {
			return nil, noAccess("GitHub shows no such repository", nil)
		}
		answered := answer.Repository.Page
		more = false
		for _, n := range answered.Nodes {
			if t, is := n.tagged(); is {
				all = append(all, t)
				more = more || !t.At.Before(since)
			}
		}
		more = more && answered.PageInfo.HasNextPage
		variables["after"] = answered.PageInfo.EndCursor
	}
	return all, nil
}

// oneTagged asks for one.
func oneTagged[N node](
	ctx context.Context, c *Client, document, tag string,
) (t promotion.Tagged, found bool, err error) {
	var answer struct {
		Repository *struct {
			One *N `json:"one"`
		} `json:"repository"`
	}
	variables := map[string]any{"owner": c.owner, "name": c.name, "tag": tag}
	if err := c.graph.ask(ctx, document, variables, &answer); err != nil {
		return promotion.Tagged{}, false, err
	}
	if answer.Repository == nil {
		return promotion.Tagged{}, false, noAccess("GitHub shows no such repository", nil)
	}
	if answer.Repository.One == nil {
		return promotion.Tagged{}, false, nil
	}
	t, found = (*answer.Repository.One).tagged()
	return t, found, nil
}

// pageInfo says how a list goes on.
type pageInfo struct {
	HasNextPage bool   `json:"hasNextPage"`
	EndCursor   string `json:"endCursor"`
}

const releaseFields = `
fragment release on Release {
  databaseId tagName name isDraft isPrerelease publishedAt author { databaseId login } tagCommit { oid } }`

type releaseNode struct {
	DatabaseID   int       `json:"databaseId"`
	TagName      string    `json:"tagName"`
	Name         string    `json:"name"`
	IsDraft      bool      `json:"isDraft"`
	IsPrerelease bool      `json:"isPrerelease"`
	PublishedAt  time.Time `json:"publishedAt"`
	Author       author    `json:"author"`
	TagCommit    struct {
		OID promotion.SHA `json:"oid"`
	} `json:"tagCommit"`
}

func (n releaseNode) tagged() (promotion.Tagged, bool) {
	return promotion.Tagged{
		Tag: n.TagName, SHA: n.TagCommit.OID, At: n.PublishedAt.UTC(), Release: n.DatabaseID, Prerelease: n.IsPrerelease,
		Title: n.Name, Author: n.Author.actor(),
	}, !n.IsDraft && !n.PublishedAt.IsZero() && n.TagName != "" && n.TagCommit.OID != ""
}

// A tag is a commit's second name, or an object of its own that has a date and names a commit, or another tag: that of
// a release is often made of the tag of its last candidate. GitHub follows no chain to its end, so its links are asked
// for; what has more of them is no freight, as is a tag of a folder or a file.
const tagFields = `
fragment tag on Ref { name target {
	... on Commit { ...tagged author { user { databaseId login } } }
	... on Tag { tagger { date user { databaseId login } }
		target { ...tagged ... on Tag { target { ...tagged ... on Tag { target { ...tagged } } } } } } } }
fragment tagged on Commit { commit: oid committedDate }`

type tagNode struct {
	Name   string    `json:"name"`
	Target tagTarget `json:"target"`
}

// tagTarget is what a tag names: a commit, or another tag. Of anything else no field is set.
type tagTarget struct {
	Commit        promotion.SHA `json:"commit"`
	CommittedDate time.Time     `json:"committedDate"`
	Author        struct {
		User author `json:"user"`
	} `json:"author"`
	Tagger *struct {
		Date time.Time `json:"date"`
		User author    `json:"user"`
	} `json:"tagger"`
	Target *tagTarget `json:"target"`
}

// tagged takes the date and the person of an annotated tag from it, of any other one from its commit.
func (n tagNode) tagged() (promotion.Tagged, bool) {
	commit := &n.Target
	for commit.Target != nil {
		commit = commit.Target
	}
	t := promotion.Tagged{
		Tag: n.Name, SHA: commit.Commit, At: commit.CommittedDate.UTC(), Author: n.Target.Author.User.actor(),
	}
	if tagger := n.Target.Tagger; tagger != nil && !tagger.Date.IsZero() {
		t.At, t.Author = tagger.Date.UTC(), tagger.User.actor()
	}
	return t, t.Tag != "" && t.SHA != "" && !t.At.IsZero()
}

// author is a person in an answer; GitHub names none for an App or an unknown account.
type author struct {
	DatabaseID int64           `json:"databaseId"`
	Login      promotion.Login `json:"login"`
}

func (a author) actor() promotion.Actor { return promotion.Actor{ID: a.DatabaseID, Login: a.Login} }
