package gh

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestATokenOfAPersonAsksWhoTheyAreAndNothingElse redeems a code: the token that GitHub gives for it is sent once, to
// ask whose it is.
func TestATokenOfAPersonAsksWhoTheyAreAndNothingElse(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]any{"id": 7, "login": "ann"}
		if r.URL.Path == "/login/oauth/access_token" {
			answer = map[string]any{"access_token": "ghu_ann", "token_type": "bearer"}
		} else {
			asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	hub := hubOf(t, server.URL, &http.Transport{}, nil)
	who, err := hub.Web("id", "secret", "http://127.0.0.1/back").SignedIn(t.Context(), "code", "verifier")
	require.NoError(t, err)
	require.Equal(t, promotion.Actor{ID: 7, Login: "ann"}, who)
	require.Equal(t, []string{"GET /user Bearer ghu_ann"}, asked)
}
