package api

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
	"waybill/promotion"
	"waybill/store"
)

func TestACursorComesBackAsItWas(t *testing.T) {
	place := store.FreightPlace{Merged: 12, Number: 3, Warehouse: "api"}
	var back store.FreightPlace
	require.NoError(t, decodeCursor(nextCursor(place), &back))
	require.Equal(t, place, back)
}

func TestWhatIsNoCursorIsRefused(t *testing.T) {
	for _, text := range []string{
		"!", "e30=", nextCursor("x"), nextCursor(1), nextCursor(map[string]int{"Other": 1}), nextCursor(struct{}{}) + "e30",
		strings.Repeat("A", 5000),
	} {
		var place store.FreightPlace
		err := decodeCursor(text, &place)
		require.Equal(t, http.StatusBadRequest, problemOf(err).Status, text)
	}
}

// TestACursorBehindAVeilTellsNothing: nobody but the server that made it reads it, or makes another.
func TestACursorBehindAVeilTellsNothing(t *testing.T) {
	v, err := newVeil("one")
	require.NoError(t, err)
	other, err := newVeil("another")
	require.NoError(t, err)
	place := promotion.Repo("acme/secret")
	hidden := v.hide(place)
	require.Equal(t, hidden, v.hide(place), "the same page has the same tag")
	require.NotEqual(t, hidden, v.hide(promotion.Repo("acme/secreu")))
	plain, err := base64.RawURLEncoding.DecodeString(hidden)
	require.NoError(t, err)
	require.NotContains(t, string(plain), nextCursor(place), "it is not the open cursor")
	var back promotion.Repo
	require.NoError(t, v.lift(hidden, &back))
	require.Equal(t, place, back)
	for _, text := range []string{
		"", "!", "AAAA", nextCursor(place), other.hide(place), hidden[:len(hidden)-2] + "AA", strings.Repeat("A", 5000),
	} {
		require.Equal(t, http.StatusBadRequest, problemOf(v.lift(text, &back)).Status, text)
	}
}

func FuzzDecodeCursor(f *testing.F) {
	f.Add(nextCursor(store.FreightPlace{Merged: 1, Number: 2, Warehouse: "w"}))
	f.Add(nextCursor(7))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		var place store.FreightPlace
		var err error
		spent.Bound{Base: 64 << 10, PerByte: 64}.Check(t, len(text), func() { err = decodeCursor(text, &place) })
		if err != nil {
			return
		}
		var again store.FreightPlace
		require.NoError(t, decodeCursor(nextCursor(place), &again))
		require.Equal(t, place, again)
	})
}

func TestNobodyIsSentElsewhereAfterASignIn(t *testing.T) { // T27
	for _, path := range []string{
		"", "x", "https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)",
		"/a\nb", "http:/x", "/%zz",
	} {
		require.Equal(t, "/", ownPath(path), path)
	}
	require.Equal(t, "/api/v1/pipelines/acme/deploy?limit=3", ownPath("/api/v1/pipelines/acme/deploy?limit=3"))
}

func FuzzOwnPath(f *testing.F) {
	f.Add("/a")
	f.Add("//a")
	f.Fuzz(func(t *testing.T, path string) {
		base := &url.URL{Scheme: "https", Host: "waybill.example", Path: "/auth/github/callback"}
		var own string
		spent.Bound{Base: 64 << 10, PerByte: 64}.Check(t, len(path), func() { own = ownPath(path) })
		to, err := base.Parse(own)
		require.NoError(t, err)
		require.Equal(t, "waybill.example", to.Host)
	})
}

func TestWhatWasSealedForOnePurposeOpensNoOther(t *testing.T) {
	trips, err := newSealer("hush", "trip")
	require.NoError(t, err)
	sessions, err := newSealer("hush", "session")
	require.NoError(t, err)
	sealed := sessions.seal(session{ID: 1})
	var back session
	require.True(t, sessions.open(sealed, &back))
	require.Equal(t, int64(1), back.ID)
	require.False(t, trips.open(sealed, &back))
	for _, other := range []string{"", ".", sealed + "x", "x" + sealed, strings.Replace(sealed, ".", "", 1)} {
		require.False(t, sessions.open(other, &back), other)
	}
}

func FuzzWhatWasNotSealedDoesNotOpen(f *testing.F) {
	s, err := newSealer("hush", "session")
	require.NoError(f, err)
	sealed := s.seal(session{ID: 1})
	f.Add(sealed)
	f.Add(sealed + "x")
	f.Add(".")
	f.Fuzz(func(t *testing.T, text string) {
		var back session
		var opens bool
		spent.Bound{Base: 64 << 10, PerByte: 64}.Check(t, len(text), func() { opens = s.open(text, &back) })
		require.Equal(t, text == sealed, opens)
	})
}
