package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// FreightPage is a page of freight.
type FreightPage struct {
	Freight []Freight `json:"freight" doc:"newest first; what is ordered by version comes last"`
	Next    string    `json:"next,omitempty" doc:"the cursor of the next page; without it this is the last"`
}

// Freight is a piece of work on its way through the stages: a merged pull request, a push, a release or tag, or a
// version that CI has built.
type Freight struct {
	FreightRef
	Repo        string       `json:"repo" doc:"where it was merged or published, or whose commit was built"`
	Number      int          `json:"number,omitempty" doc:"the pull request; absent: it is none"`
	Tag         string       `json:"tag,omitempty" doc:"of a release or tag"`
	Version     string       `json:"version,omitempty" doc:"that the tag says, or CI"`
	Image       string       `json:"image,omitempty" doc:"that CI has made, without tag and digest"`
	Digest      string       `json:"digest,omitempty" doc:"of the image"`
	Images      []Image      `json:"images,omitempty" doc:"pushed for its commit; its warehouse waits for them"`
	URL         string       `json:"url" doc:"the page of its pull request, release, tag or commit on GitHub"`
	SHA         string       `json:"sha" doc:"the merge commit, the head of the push, the tagged or the built commit"`
	Author      string       `json:"author" doc:"who opened, published, tagged or wrote it; empty if GitHub does not say"`
	Merged      time.Time    `json:"merged" doc:"when it was merged, published or reported"`
	Deployments []Deployment `json:"deployments" doc:"the stages that host it or have hosted it, in the order of arrival"`
}

// Image is one that was pushed to a registry for the commit of freight.
type Image struct {
	Image  string `json:"image" doc:"without tag and digest"`
	Tag    string `json:"tag" doc:"by which it was found; a digest is surer"`
	Digest string `json:"digest" doc:"sha256:..."`
}

// Deployment is a time that freight was hosted by a stage.
type Deployment struct {
	Stage     string     `json:"stage" doc:"where"`
	Promotion int64      `json:"promotion" doc:"the promotion that brought it"`
	Since     time.Time  `json:"since" doc:"when it arrived"`
	Left      *time.Time `json:"left,omitempty" doc:"when other freight took its place; absent: it is there"`
	Verdict   string     `json:"verdict" doc:"pending, passed, failed or inconclusive"`
}

// freight lists the freight of all warehouses of the pipeline.
func (s *Server) freight(c *call) (any, error) {
	var from store.FreightPlace
	limit, err := c.page(&from)
	if err != nil {
		return nil, err
	}
	page := FreightPage{Freight: []Freight{}}
	if c.pipeline == nil {
		return page, nil
	}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		all, err := freightBefore(tx, c, from, limit+1)
		if err != nil {
			return err
		}
		if len(all) > limit {
			all = all[:limit]
			page.Next = nextCursor(store.PlaceOf(all[limit-1]))
		}
		for _, f := range all {
			deployments, err := tx.Deployments.Of(c.row.ID, f.ID)
			if err != nil {
				return err
			}
			page.Freight = append(page.Freight, s.freightOf(f, deployments))
		}
		return nil
	})
	return page, err
}

// freightBefore merges the newest freight of each warehouse.
func freightBefore(tx *store.Tx, c *call, from store.FreightPlace, limit int) ([]promotion.Freight, error) {
	var all []promotion.Freight
	for _, w := range c.pipeline.Warehouses {
		some, err := tx.Freight.Before(c.row.ID, w.Name, from, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b promotion.Freight) int {
		switch {
		case a.Before(b):
			return 1
		case b.Before(a):
			return -1
		}
		return strings.Compare(string(b.Warehouse), string(a.Warehouse))
	})
	return all[:min(limit, len(all))], nil
}

func (s *Server) freightOf(f promotion.Freight, deployments []promotion.Deployment) Freight {
	return Freight{
		URL:        s.web + "/" + string(f.Repo) + pageOf(f),
		FreightRef: refOf(f), Repo: string(f.Repo), Number: f.Pull, Tag: f.Tag, Version: f.Version, Image: f.Image,
		Digest: f.Digest, SHA: string(f.SHA), Author: person(f.Author), Merged: f.At().UTC(),
		Images: list(f.Images, func(a promotion.Artifact) Image { return Image(a) }),
		Deployments: list(deployments, func(s promotion.Deployment) Deployment {
			return Deployment{Stage: string(s.Stage), Promotion: int64(s.Promotion), Since: s.Entered.UTC(), Left: when(s.Left),
				Verdict: verdict(s.Verdict)}
		}),
	}
}

// pageOf is the page of freight on GitHub, below that of its repository.
func pageOf(f promotion.Freight) string {
	switch {
	case f.Pull != 0:
		return fmt.Sprintf("/pull/%d", f.Pull)
	case f.Tag != "":
		return "/releases/tag/" + url.PathEscape(f.Tag)
	}
	return "/commit/" + string(f.SHA)
}
