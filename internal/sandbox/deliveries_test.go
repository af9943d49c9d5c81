package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// TestAParkedDeliveryIsListedShownAndReplayedT20 has a bug park a delivery, and an operator read it and replay it.
func TestAParkedDeliveryIsListedShownAndReplayedT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.buggy(1, http.MethodGet, "/pulls/1/files")
	secrets := s.withTokens(api.Token{Name: "reader"}, api.Token{Name: "operator", Scope: api.Operate},
		api.Token{Name: "mine", Scope: api.Operate, Repos: []promotion.Repo{promotion.Repo(home)}})
	reader, operator, mine := secrets[0], secrets[1], secrets[2]
	s.do("merge #1 by ann")
	require.Empty(t, s.states("dev"))

	var parked api.Deliveries
	s.get(reader, "/api/v1/deliveries", &parked)
	require.Len(t, parked.Deliveries, 1)
	d := parked.Deliveries[0]
	require.Equal(t, "pull_request closed acme/deploy", d.Event+" "+d.Action+" "+d.Repo)
	require.Contains(t, d.Error, "panic: ")
	at := "/api/v1/deliveries/" + d.GUID
	var shown api.DeliveryDetail
	s.get(reader, at, &shown)
	require.Equal(t, d, shown.Delivery)
	require.Empty(t, shown.Body, "what it says is not for everybody who may read")
	s.get(operator, at, &shown)
	require.Contains(t, string(shown.Body), `"merged"`)

	require.Equal(t, http.StatusForbidden, s.api(mine, http.MethodGet, "/api/v1/deliveries").status)
	require.Equal(t, http.StatusForbidden, s.api(mine, http.MethodGet, at).status)
	require.Equal(t, http.StatusForbidden, s.api(reader, http.MethodPost, at+"/replay").status)
	require.Equal(t, http.StatusNotFound, s.api(operator, http.MethodPost, "/api/v1/deliveries/none/replay").status)
	require.Equal(t, http.StatusOK, s.api(operator, http.MethodPost, at+"/replay").status)
	s.program.WakeAll()
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(t, http.StatusConflict, s.api(operator, http.MethodPost, at+"/replay").status, "it has been handled")
	s.get(reader, "/api/v1/deliveries", &parked)
	require.Empty(t, parked.Deliveries)
}

func TestDeliveriesAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	all, next := map[string]bool{}, ""
	for {
		var page api.Deliveries
		s.get(token, "/api/v1/deliveries?state=handled&limit=2&cursor="+next, &page)
		for _, d := range page.Deliveries {
			require.False(t, all[d.GUID])
			all[d.GUID] = true
		}
		if next = page.Next; next == "" {
			break
		}
	}
	require.Len(t, all, len(s.deliveries(store.DeliveryHandled)))
	require.Greater(t, len(all), 4)
	require.Equal(t, http.StatusBadRequest, s.api(token, http.MethodGet, "/api/v1/deliveries?state=lost").status)
}
