package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestErrorsAreToldApartByWhatCanBeDoneAboutThem(t *testing.T) {
	type answer struct {
		status int
		body   string
	}
	transient := []answer{
		{500, `{"message": "Server Error"}`}, {502, "<html><h1>502 Bad Gateway</h1></html>"}, {503, ""}, {504, ""}, {408, ""},
		{401, `{"message": "Bad credentials"}`}, {200, "<html>maintenance</html>"}, {200, `{"number": 1, "sta`},
	}
	passing := []answer{{403, ``}, {405, ``}, {409, ``}, {422, `{"message": "words that nobody has heard yet"}`},
		{422, `{"message": "Validation Failed", "errors": [{"message": "No commits between main and x"}]}`}}
	refusals := []answer{{403, `{"message": "Resource not accessible by integration"}`}, {404, ``}, {410, ``}, {451, ``},
		{400, `{"message": "Problems parsing JSON"}`}}
	bugs := []answer{{200, `{"number": "one"}`}}
	for class, answers := range map[string][]answer{
		"transient": transient, "passing": passing, "refused": refusals, "bug": bugs,
	} {
		for _, a := range answers {
			c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(a.status)
				fmt.Fprint(w, a.body)
			})
			_, err := c.Pulls.Read(t.Context(), 1)
			require.Error(t, err)
			require.Equal(t, class == "transient", errors.Is(err, ErrTransient), "%v: %v", a, err)
			require.Equal(t, class == "passing", errors.Is(err, ErrPassing), "%v: %v", a, err)
			require.Equal(t, class == "refused" || class == "passing", errors.Is(err, ErrRefused), "%v: %v", a, err)
			require.Equal(t, a.status == 404 || a.status == 410, errors.Is(err, ErrNotFound))
		}
	}
}

func TestARefusalIsExplainedInGitHubsWords(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(422)
		fmt.Fprint(w, `{"message": "Validation Failed", "errors": [{"message": "No commits between main and x"}, `+
			`{"resource": "PullRequest", "field": "base", "code": "invalid"}]}`)
	})
	_, err := c.Pulls.Read(t.Context(), 1)
	require.Equal(t, promotion.Because(promotion.Refused).With("No commits between main and x. PullRequest base invalid"),
		Explain(err))
	require.Equal(t, "read pull request #1 of acme/app: No commits between main and x. PullRequest base invalid",
		err.Error())
	require.True(t, Explain(nil).IsZero())
}

func TestErrorsOfGraphQLAreToldApart(t *testing.T) {
	for body, class := range map[string]error{
		`{"errors": [{"message": "Something went wrong while executing your query. Please include 0A1B when reporting this ` +
			`issue."}]}`: ErrTransient,
		`{"data": null, "errors": [{"type": "SERVICE_UNAVAILABLE", "message": "no"}]}`: ErrTransient,
		`{"data": {"repository": null}, "errors": [{"type": "NOT_FOUND", "path": ["repository"], "message": "Could not ` +
			`resolve to a Repository"}]}`: ErrNoAccess,
		`{"data": {"repository": {}}, "errors": [{"type": "NOT_FOUND", "path": ["repository", "branch"], "message": ` +
			`"gone"}]}`: ErrNotFound,
		`{"errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}`:      ErrRefused,
		`{"errors": [{"message": "Something went wrong"}, {"type": "UNPROCESSABLE", "message": "no"}]}`: ErrTransient,
		`{"errors": [{"type": "UNPROCESSABLE", "message": "no"}]}`:                                      ErrPassing,
		`{"errors": [{"type": "UNPROCESSABLE", "message": "no"}, {"type": "FORBIDDEN", "message": "Resource not ` +
			`accessible by integration"}]}`: ErrRefused,
		`{"data": {"repository": null}}`: ErrNoAccess,
		`{"errors": [{"message": "Field 'x' doesn't exist on type 'Repository'", "extensions": {"code": ` +
			`"undefinedField"}}]}`: ErrRefused,
		`{"data": {"repository": {"branch": {"target": {"oid": "c0", "tree": {"oid": "t0"}}}}}, "errors": [{"type": ` +
			`"INTERNAL", "message": "one file"}]}`: ErrTransient,
		`{"data": {"repository": {"branch": {"target": {"oid": "c0", "tree": {"oid": "t0"}, "f0": null}}}}, "errors": ` +
			`[{"type": "WHAT", "message": "new"}]}`: ErrPassing,
	} {
		c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		base, err := c.Files.Read(t.Context(), "", []string{"a"})
		require.Error(t, err, body)
		require.Zero(t, base, "half an answer is none: %s", body)
		require.ErrorIs(t, err, class, body)
	}
}

func TestAnAnswerThatNeverComesIsTransient(t *testing.T) {
	asked := make(chan struct{})
	c := clientOf(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := c.People.Permission(ctx, "ann")
	require.ErrorIs(t, err, ErrTransient)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRetryAfterOfABusyServerIsHeeded(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(503)
	})
	_, err := c.Pulls.Read(t.Context(), 1)
	require.Equal(t, 7*time.Second, RetryAfter(err))
	require.Zero(t, RetryAfter(errors.New("other")))
}

func TestAnAnswerThatIsTooLargeIsNotRead(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := strings.Repeat("x", 1<<20)
		for range maxAnswer>>20 + 1 {
			fmt.Fprint(w, chunk)
		}
	})
	_, err := c.Pulls.Read(t.Context(), 1)
	require.ErrorIs(t, err, ErrRefused)
	require.Contains(t, err.Error(), "larger than 16 MB")
}
