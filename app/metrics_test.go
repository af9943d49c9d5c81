package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// TestMetricsAreForTheServersOwnNetwork: whoever comes from elsewhere, or through a proxy, gets none, unless the
// settings open them to everybody.
func TestMetricsAreForTheServersOwnNetwork(t *testing.T) {
	for from, inside := range map[string]bool{
		"127.0.0.1:40000": true, "[::1]:40000": true, "10.1.2.3:40000": true, "192.168.1.9:40000": true,
		"100.64.3.4:40000": true, "[fd00::7]:40000": true, "[::ffff:10.1.2.3]:40000": true,
		"203.0.113.7:40000": false, "[2001:db8::7]:40000": false, "": false,
	} {
		for _, header := range []string{"", "X-Forwarded-For", "Forwarded", "X-Real-Ip"} {
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.RemoteAddr = from
			if header != "" {
				request.Header.Set(header, "for=10.0.0.1")
			}
			for _, open := range []bool{false, true} {
				answer := httptest.NewRecorder()
				metricsOf(prometheus.NewRegistry(), open).ServeHTTP(answer, request)
				if open || inside && header == "" {
					require.Equal(t, http.StatusOK, answer.Code, from)
				} else {
					require.Equal(t, http.StatusForbidden, answer.Code, from)
					require.Contains(t, answer.Body.String(), "WAYBILL_METRICS_FROM=anywhere")
				}
			}
		}
	}
}
