package pages_test

import (
	"context"
	"errors"
	"html"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox/pages"
)

// fleet is a rollout that does not advance.
type fleet struct {
	rollout pages.Rollout
	err     error
	changed map[string]pages.Temper
}

func (f *fleet) Rollout(context.Context) (pages.Rollout, error) { return f.rollout, f.err }

func (f *fleet) SetTemper(cluster string, to pages.Temper) error {
	if cluster == "mars-1" {
		return errors.New("change mars-1: there is no such cluster")
	}
	f.changed[cluster] = to
	return nil
}

func TestARolloutIsShownBatchByBatch(t *testing.T) {
	f := &fleet{changed: map[string]pages.Temper{}, rollout: pages.Rollout{
		Stage: "prod", Freight: "api#1", Title: "Verification failed (1/3 verified, 1 failed, 1 to come): <b>eu-2</b> failed",
		Pull: "http://127.0.0.1:1/pull/7", Holds: []string{"held by Waybill since noon"}, Batches: []pages.Batch{
			{Name: "canary", Clusters: []pages.Cluster{
				{Name: "eu-1", Runs: "2222222", Wants: "2222222", Health: pages.Healthy, Temper: pages.Well, Standing: "verified"},
			}},
			{Name: "rest", Pace: "2 at once", Clusters: []pages.Cluster{
				{Name: "eu-2", Runs: "1111111", Wants: "2222222", Health: pages.Degraded, Temper: pages.Broken, Standing: "failed",
					Why: "argocd/eu-2 failed"},
				{Name: "eu-3", Health: pages.Missing, Standing: "to come"},
			}},
		},
	}}
	b := newBrowser(t, func(s *pages.Sandbox) { s.Fleet = f })
	body := b.see("/-/clusters")
	require.NotContains(t, body, "<b>eu-2</b>")
	shown := html.UnescapeString(body)
	for _, want := range []string{
		"api#1", "1/3 verified", "http://127.0.0.1:1/pull/7", "The stage is held by Waybill", "one at a time", "2 at once",
		"degraded", "argocd/eu-2 failed", "1111111", "→", `aria-pressed="true" aria-label="eu-2: Breaks"`, "missing",
	} {
		require.Contains(t, shown, want)
	}
	require.NotContains(t, shown, `action="/-/clusters/eu-3"`, "what is not there cannot be broken")
	require.Equal(t, "/-/clusters", b.submit("/-/clusters/eu-2", "temper", "slow"))
	require.Equal(t, map[string]pages.Temper{"eu-2": pages.Slow}, f.changed)
	require.Contains(t, b.refused("/-/clusters/mars-1", "temper", "slow"), "there is no such cluster")
	require.Contains(t, b.refused("/-/clusters/eu-2", "temper", "angry"), "it can be well, slow or broken")
	f.err = errors.New("the database is locked")
	response, body := b.send("GET", "/-/clusters", nil)
	require.Equal(t, http.StatusUnprocessableEntity, response.StatusCode)
	require.Contains(t, body, "the database is locked")
}

func TestWithoutClustersNoPageShowsThem(t *testing.T) {
	b := newBrowser(t)
	require.NotContains(t, b.see("/"), "/-/clusters")
	for path, method := range map[string]string{"/-/clusters": http.MethodGet, "/-/clusters/eu-1": http.MethodPost} {
		response, _ := b.send(method, path, nil)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
	}
}
