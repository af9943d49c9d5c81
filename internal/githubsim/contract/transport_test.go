package contract

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reports collects the reports of a Transport or Middleware.
type reports struct{ errs []error }

func (r *reports) add(err error) { r.errs = append(r.errs, err) }

// roundTrip is a transport made from a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// server answers every request with one status and body, after reading it.
func server(t *testing.T, status int, body string) (http.Handler, *bytes.Buffer) {
	t.Helper()
	received := &bytes.Buffer{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := received.ReadFrom(r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if _, err := io.WriteString(w, body); err != nil {
			t.Error(err)
		}
	}), received
}

func TestTheTransportReportsViolationsAndPassesBodiesOn(t *testing.T) {
	handler, received := server(t, 201, `{"id": 1}`)
	github := httptest.NewServer(handler)
	defer github.Close()
	var seen reports
	transport := loaded(t).Transport(http.DefaultTransport, seen.add)

	response, err := (&http.Client{Transport: transport}).Post(github.URL+"/api/v3/repos/acme/api/check-runs",
		"application/json", strings.NewReader(newRun))
	require.NoError(t, err)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	require.NoError(t, err)

	require.Equal(t, newRun, received.String())
	require.Equal(t, `{"id": 1}`, string(got))
	require.Len(t, seen.errs, 1)
	require.ErrorContains(t, seen.errs[0], `/head_sha: property "head_sha" is missing`)
	require.Equal(t, []Part{Response}, parts(t, seen.errs[0]))
	require.Equal(t, []Use{{"checks/create", 1}}, transport.Used())
}

func TestTheTransportChecksTheRequestOfALostReply(t *testing.T) {
	var seen reports
	lost := errors.New("connection reset")
	transport := loaded(t).Transport(roundTrip(func(*http.Request) (*http.Response, error) { return nil, lost }), seen.add)

	_, err := (&http.Client{Transport: transport}).Post("http://127.0.0.1/repos/acme/api/check-runs", "application/json",
		strings.NewReader(`{}`))
	require.ErrorIs(t, err, lost)
	require.Len(t, seen.errs, 1)
	require.ErrorContains(t, seen.errs[0], "/head_sha")
}

func TestTheMiddlewareReportsViolationsBeforeItAnswers(t *testing.T) {
	handler, received := server(t, 201, `{"id": 1}`)
	var seen reports
	middleware := loaded(t).Middleware(handler, seen.add)

	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/api/v3/repos/acme/api/check-runs", strings.NewReader(newRun))
	r.Header.Set("Content-Type", "application/json")
	middleware.ServeHTTP(w, r)

	require.Equal(t, newRun, received.String())
	require.Equal(t, 201, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.Equal(t, `{"id": 1}`, w.Body.String())
	require.Len(t, seen.errs, 1)
	require.Equal(t, []Part{Response}, parts(t, seen.errs[0]))
}

// A simulator loses replies by hijacking the connection, or by aborting.
func TestTheMiddlewareChecksTheRequestOfALostReply(t *testing.T) {
	for name, lose := range map[string]http.HandlerFunc{
		"by hijacking": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				err = connection.Close()
			}
			if err != nil {
				panic(err)
			}
		},
		"by aborting": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			reported := make(chan error, 1)
			github := httptest.NewServer(loaded(t).Middleware(lose, func(err error) { reported <- err }))
			defer github.Close()
			_, err := http.Post(github.URL+"/repos/acme/api/check-runs", "application/json", strings.NewReader(`{}`))
			require.Error(t, err)
			require.ErrorContains(t, <-reported, "/head_sha")
		})
	}
}

func TestWhatWasUsedIsCountedByOperation(t *testing.T) {
	handler, _ := server(t, 200, `{"data": {}}`)
	middleware := loaded(t).Middleware(handler, func(error) {})
	use := func(line, body string) {
		method, path, _ := strings.Cut(line, " ")
		middleware.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body)))
	}
	use("GET /repos/acme/api/pulls/7", "")
	use("GET /api/v3/repos/acme/web/pulls/8", "")
	use("GET /promotions", "")
	use("POST /graphql",
		string(encode(t, graphqlRequest{Query: `{ viewer { login } me: viewer { id } rateLimit { cost } }`})))
	require.Equal(t, []Use{{"graphql/rateLimit", 1}, {"graphql/viewer", 2}, {"pulls/get", 2}}, middleware.Used())
}

func TestAnExchangeThatKeepsTheContractIsNotReported(t *testing.T) {
	handler, _ := server(t, 201, answer(t, createRun, 201))
	var seen reports
	github := httptest.NewServer(loaded(t).Middleware(handler, seen.add))
	defer github.Close()
	client := &http.Client{Transport: loaded(t).Transport(http.DefaultTransport, seen.add)}
	response, err := client.Post(github.URL+"/repos/acme/api/check-runs", "application/json", strings.NewReader(newRun))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Empty(t, seen.errs)
}
