package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNobodyListensSoOftenThatOthersCannot(t *testing.T) {
	l := listeners{each: map[string]int{}}
	enter := func(who string) (func(), int) {
		leave, err := l.enter(who)
		if err == nil {
			return leave, http.StatusOK
		}
		return nil, problemOf(err).Status
	}
	for range maxListening {
		_, status := enter("token greedy")
		require.Equal(t, http.StatusOK, status)
	}
	_, status := enter("token greedy")
	require.Equal(t, http.StatusTooManyRequests, status)
	var leave func()
	for i := range maxListeners - maxListening {
		leave, status = enter(fmt.Sprint("token ", i))
		require.Equal(t, http.StatusOK, status)
	}
	_, status = enter("ann")
	require.Equal(t, http.StatusServiceUnavailable, status)
	leave()
	leave, status = enter("ann")
	require.Equal(t, http.StatusOK, status)
	leave()
	require.Equal(t, maxListeners-1, l.all)
	require.NotContains(t, l.each, "ann", "who has left is forgotten")
}
