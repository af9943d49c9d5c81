package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// signedIn returns a request of a browser in which a person has signed in.
func signedIn(t *testing.T, s *SignIn, now time.Time) *http.Request {
	t.Helper()
	answer := httptest.NewRecorder()
	s.remember(answer, promotion.Actor{ID: 7, Login: "ann"}, now)
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, cookie := range answer.Result().Cookies() {
		request.AddCookie(cookie)
	}
	return request
}

// TestANewClientSecretSignsEverybodyOut: the keys of cookies derive from it.
func TestANewClientSecretSignsEverybodyOut(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	old, err := NewSignIn(nil, "old", false)
	require.NoError(t, err)
	renewed, err := NewSignIn(nil, "new", false)
	require.NoError(t, err)
	ann := signedIn(t, old, now)
	who, is := old.session(ann, now)
	require.True(t, is)
	require.Equal(t, promotion.Actor{ID: 7, Login: "ann"}, who)
	_, is = renewed.session(ann, now)
	require.False(t, is)
}

// TestOverHTTPSCookiesAreForThisHostAlone: no other host can set them, and none goes over plain HTTP.
func TestOverHTTPSCookiesAreForThisHostAlone(t *testing.T) {
	for _, secure := range []bool{true, false} {
		s, err := NewSignIn(nil, "secret", secure)
		require.NoError(t, err)
		cookie := s.cookie("session", "x", time.Hour)
		require.Equal(t, secure, cookie.Secure)
		require.True(t, cookie.HttpOnly)
		require.Equal(t, map[bool]string{true: "__Host-waybill-session", false: "waybill-session"}[secure], cookie.Name)
		require.Empty(t, cookie.Domain)
	}
}
