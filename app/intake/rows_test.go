package intake

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

func TestADeliveryBehindARowWakesNoWorker(t *testing.T) {
	const github, acme, repo = handlers.SourceGitHub, 3, "acme/api"
	r := newRows()
	require.False(t, r.joins(github, acme, repo), "there is no row")
	end := r.begin(github, acme, repo)
	require.True(t, r.joins(github, acme, repo))
	require.False(t, r.joins(github, 4, repo), "another installation")
	require.False(t, r.joins(github, acme, "acme/web"), "another repository")
	require.False(t, r.joins("api", acme, repo), "it does not wait for those of GitHub")
	end()
	require.False(t, r.joins(github, acme, repo), "it has ended")

	r.begin("slack", acme, repo)
	require.False(t, r.joins(github, acme, repo), "deliveries of Slack form no row")
	r.begin(github, acme, "")
	require.False(t, r.joins(github, acme, ""), "deliveries of no repository form no row")
}
