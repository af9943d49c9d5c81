package promotion_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestOnlyTheRunsThatAWarehouseNamesMayReport(t *testing.T) {
	api := promotion.Warehouse{Name: "api", Kind: promotion.FromReports, Repo: "acme/api",
		Reporters: promotion.Reporters{Branches: []string{"main", "release/*"}}}
	ship := api
	ship.Reporters = promotion.Reporters{Tags: []string{"v*"}, Workflow: "ship.yml", Environment: "production"}
	run := promotion.Run{Repo: "Acme/API", Event: "push", Ref: "refs/heads/main", Workflow: "build.yml"}
	for _, row := range []struct {
		name      string
		warehouse promotion.Warehouse
		change    func(r *promotion.Run)
		refuses   string
	}{
		{"its branch", api, func(*promotion.Run) {}, ""},
		{"a branch by its glob", api, func(r *promotion.Run) { r.Ref = "refs/heads/release/1.x" }, ""},
		{"a branch that is too deep for it", api, func(r *promotion.Run) { r.Ref = "refs/heads/release/1/x" },
			"no reports of runs at"},
		{"another branch", api, func(r *promotion.Run) { r.Ref = "refs/heads/mainly" },
			"it takes those of branches main, release/*"},
		{"a tag that is called as the branch", api, func(r *promotion.Run) { r.Ref = "refs/tags/main" },
			"no reports of runs at"},
		{"a pull request", api, func(r *promotion.Run) { r.Ref, r.Event = "refs/pull/7/merge", "pull_request" },
			"for a pull request"},
		{"a pull request on its base", api, func(r *promotion.Run) { r.Event = "pull_request_target" },
			"for a pull request"},
		{"a ref that is neither", api, func(r *promotion.Run) { r.Ref = "main" }, "no reports of runs at"},
		{"another repository", api, func(r *promotion.Run) { r.Repo = "acme/ap" }, "takes reports of acme/api"},
		{"a tag", ship, func(r *promotion.Run) {
			r.Ref, r.Workflow, r.Environment = "refs/tags/v1", "ship.yml", "production"
		}, ""},
		{"a branch where tags are named", ship,
			func(r *promotion.Run) { r.Workflow, r.Environment = "ship.yml", "production" },
			"it takes those of tags v*"},
		{"another workflow", ship, func(r *promotion.Run) { r.Ref, r.Environment = "refs/tags/v1", "production" },
			"takes reports of the workflow ship.yml"},
		{"another environment", ship,
			func(r *promotion.Run) { r.Ref, r.Workflow, r.Environment = "refs/tags/v1", "ship.yml", "staging" },
			"this one is in staging"},
	} {
		r := run
		row.change(&r)
		why := row.warehouse.Refuses(r)
		if row.refuses == "" {
			require.Empty(t, why, row.name)
		} else {
			require.Contains(t, why, row.refuses, row.name)
		}
	}
}

func TestAnImageSaysByItsTagAndItsLabelOfWhichCommitItIs(t *testing.T) {
	full, digest := strings.Repeat("c0ffee1234", 4), "sha256:"+strings.Repeat("ab", 32)
	for _, row := range []struct {
		tag, revision, digest string
		want                  []promotion.SHA
	}{
		{full, "", digest, []promotion.SHA{promotion.SHA(full)}},
		{"sha-" + full, "", digest, []promotion.SHA{promotion.SHA(full)}},
		{"c0ffee1", "", digest, []promotion.SHA{"c0ffee1"}},
		{"sha-c0ffee1", full, digest, []promotion.SHA{"c0ffee1", promotion.SHA(full)}},
		{"main", full, digest, []promotion.SHA{promotion.SHA(full)}},
		{"c0ffee", "", digest, nil},
		{"C0FFEE1", "", digest, nil},
		{"v1.4.2", "", digest, nil},
		{full + "0", "", digest, nil},
		{"pr-c0ffee1", "unknown", digest, nil},
		{"", full, digest, nil},
		{"a b", full, digest, nil},
		{full, "", "md5:ab", nil},
		{full, "", digest + "\n", nil},
	} {
		require.Equal(t, row.want,
			promotion.Image{Image: "ghcr.io/acme/api", Tag: row.tag, Revision: promotion.SHA(row.revision),
				Digest: row.digest}.Of(), "%+v", row)
	}
}
