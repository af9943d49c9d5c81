package handlers_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/internal/spent"
	"waybill/promotion"
)

func TestDeliveriesThatDoNotSayWhatTheyAreAboutAreIgnored(t *testing.T) {
	for _, event := range handlers.Events() {
		for _, body := range []string{
			`{}`, `null`, `{"repository":null}`, `{"repository":{"id":1,"full_name":"acme/deploy"}}`,
			`{"installation":{"id":3}}`, `{"repository":{"id":1,"full_name":"acme/deploy"},"deployment":{"id":1,"sha":"s"}}`,
		} {
			got, err := handlers.Decode(self, event, []byte(body))
			if err == nil {
				require.Contains(t, []string{
					"repository", "installation", "installation_repositories", "member", "membership", "organization", "team",
				}, event, "%s tells %+v", body, got)
				continue
			}
			require.ErrorIs(t, err, handlers.ErrIgnored, "%s %s", event, body)
			require.Zero(t, got)
		}
	}
}

// An organization may define repository properties with several values. They are then in each of its deliveries.
func TestARepositoryWithAnyCustomPropertiesIsUnderstood(t *testing.T) {
	tagged := deploy.with(obj{"custom_properties": obj{"tier": "1", "teams": []string{"sre", "web"}, "owner": nil}})
	for _, row := range []struct {
		event string
		about obj
	}{
		{"push", pushed},
		{"status", argo},
		{"pull_request", obj{"action": "closed", "pull_request": feature.with(merge)}},
	} {
		require.Equal(t, decode(t, row.event, row.about), decode(t, row.event, row.about.with(obj{"repository": tagged})))
	}
}

func TestAppsThatAreNotOursAreNotTakenForUs(t *testing.T) {
	got, err := handlers.Decode(handlers.Self{}, "check_run",
		payload(obj{"check_run": smoke.with(obj{"app": nil}), "sender": obj{"login": "[bot]"}}))
	require.NoError(t, err)
	require.False(t, got.Ours)
	require.Len(t, handlers.All[promotion.Signal](got), 1)
}

// FuzzDecode checks that Decode returns the same events or ErrIgnored every time, for any input.
func FuzzDecode(f *testing.F) {
	seen := map[string]int{}
	for _, e := range corpus(f) {
		if seen[e.event]++; slices.Contains(handlers.Events(), e.event) && seen[e.event] <= 2 {
			f.Add(e.event, []byte(e.body))
		}
	}
	f.Add("push", payload(pushed))
	f.Add("pull_request", payload(obj{"action": "closed", "pull_request": promoting.with(merge)}))
	f.Add("deployment_status",
		[]byte(`{"repository":{"id":1,"full_name":"a/b"},"deployment":{"id":1,"sha":"s"},"deployment_status":null}`))
	f.Add("push", []byte(`{"repository":{"id":1,"full_name":"a/b"},"ref":"refs/heads/","after":"s","commits":[null]}`))
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		var got handlers.Told
		var err error
		spent.Bound{Base: 256 << 10, PerByte: 1 << 10}.Check(t, len(body), func() {
			got, err = handlers.Decode(self, event, body)
		})
		again, _ := handlers.Decode(self, event, body)
		require.Equal(t, got, again)
		if err != nil {
			require.ErrorIs(t, err, handlers.ErrIgnored)
			require.Zero(t, got)
			return
		}
		for _, s := range handlers.All[promotion.Signal](got) {
			require.NotZero(t, s.ID)
			require.NotEmpty(t, s.SHA)
			require.Equal(t, got.Repo, s.Repo)
		}
		for _, p := range handlers.All[handlers.OurPull](got) {
			require.NotZero(t, p.Number)
			require.Equal(t, p.State == "merged", p.MergeSHA != "")
		}
	})
}
