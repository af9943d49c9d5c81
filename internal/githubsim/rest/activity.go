package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func activityRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/activity", listActivity)
}

// listActivity lists the changes of branches, newest first, with a cursor: the id of the last change on the page
// before.
func listActivity(c *call) (reply, error) {
	ref := c.query("ref", "")
	if ref != "" && !strings.HasPrefix(ref, "refs/") {
		ref = "refs/heads/" + ref
	}
	all := c.Refs.Activity(c.repo, ref)
	if kind := c.query("activity_type", ""); kind != "" {
		all = slices.DeleteFunc(all, func(a hub.Activity) bool { return a.Type != kind })
	}
	if who := c.query("actor", ""); who != "" {
		all = slices.DeleteFunc(all, func(a hub.Activity) bool { return !strings.EqualFold(a.Who.Login, who) })
	}
	if behind := c.query("after", ""); behind != "" {
		at := slices.IndexFunc(all, func(a hub.Activity) bool { return strconv.FormatInt(a.ID, 10) == behind })
		all = all[at+1:]
	}
	size := clamp(c.query("per_page", ""), defaultPage, largestPage)
	header := http.Header{}
	if len(all) > size {
		query := c.request.URL.Query()
		query.Set("after", strconv.FormatInt(all[size-1].ID, 10))
		next := url.URL{Path: c.request.URL.Path, RawQuery: query.Encode()}
		header.Set("Link", "<"+c.Render.URL+next.String()+`>; rel="next"`)
		all = all[:size]
	}
	return reply{Status: http.StatusOK, Header: header, Body: render.List(all, func(a hub.Activity) any {
		return obj{
			"id": a.ID, "node_id": render.NodeID("RA", a.ID), "before": a.Before, "after": a.After, "ref": a.Ref,
			"timestamp": a.At.Format(time.RFC3339), "activity_type": a.Type, "actor": c.Render.Account(a.Who),
		}
	})}, nil
}
