package gh

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAClockOfWholeSecondsIsComparedWithTheTimeOfTheRequest has GitHub answer between two looks at our clock.
func TestAClockOfWholeSecondsIsComparedWithTheTimeOfTheRequest(t *testing.T) {
	at := func(seconds float64) time.Time {
		return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
	}
	for _, c := range []struct {
		date, before, after float64
		ahead               time.Duration
	}{
		{date: 5, before: 5.2, after: 5.4}, {date: 5, before: 4.5, after: 9}, {date: 5, before: 5.9, after: 7},
		{date: 65, before: 5, after: 5.5, ahead: 59 * time.Second},
		{date: 5, before: 66.5, after: 67, ahead: -60 * time.Second},
	} {
		require.Equal(t, c.ahead, aheadBy(at(c.date), at(c.before), at(c.after)), c)
	}
}

// TestThePageWhereAnAppIsChangedIsThatOfItsOwner asks for an App of a person and of an organization.
func TestThePageWhereAnAppIsChangedIsThatOfItsOwner(t *testing.T) {
	for owner, page := range map[string]string{
		`{"login": "ann", "type": "User"}`:          "/settings/apps/waybill",
		`{"login": "acme", "type": "Organization"}`: "/organizations/acme/settings/apps/waybill",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"slug": "waybill", "owner": %s, "permissions": {"checks": "read"}, "events": ["push"]}`, owner)
		}))
		t.Cleanup(server.Close)
		h := hubOf(t, server.URL, &http.Transport{}, time.Now)
		h.config.WebURL = "https://github.example/"
		r, err := h.Registration(t.Context())
		require.NoError(t, err)
		require.Equal(t, "https://github.example"+page, r.Settings)
		require.Equal(t, Grants{Permissions: map[string]string{"checks": "read"}, Events: []string{"push"}}, r.Grants)
	}
}
