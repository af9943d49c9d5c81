package gh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Every error belongs to one of three classes: refused, transient, or a bug, which is everything else.
var (
	// ErrRefused is GitHub's no. Asking again changes nothing, and Explain has the words for people.
	ErrRefused = errors.New("refused by GitHub")
	// ErrNoAccess is a no to everything: the App is not installed there any more, suspended, or the repository is gone.
	// Work that is refused for this reason waits until access comes back. It is always ErrRefused, too.
	ErrNoAccess = errors.New("no access")
	// ErrNotFound is a no because the thing asked for is not there. It is always ErrRefused, too.
	ErrNotFound = errors.New("not found")
	// ErrTooMany is a no because GitHub shows only a part of the answer. It is always ErrRefused, too.
	ErrTooMany = errors.New("more than GitHub lists")
	// ErrTransient says nothing about the question: the network, GitHub's own trouble, or a rate limit. The same call may
	// be made again, after RetryAfter. Whether it had an effect is unknown.
	ErrTransient error = again{}
)

// again is ErrTransient.
type again struct{}

func (again) Error() string { return "GitHub cannot answer now" }

// Again says that the call may be made again at once.
func (again) Again() (after time.Duration, again bool) { return 0, true }

// failure is an error whose class is known.
type failure struct {
	classes []error // the errors that it is, for errors.Is
	text    string  // for people, in GitHub's words where it has some
	after   time.Duration
	cause   error
}

// Error returns GitHub's words.
func (f *failure) Error() string { return f.text }

// Is reports whether the failure belongs to a class.
func (f *failure) Is(target error) bool {
	for _, class := range f.classes {
		if class == target {
			return true
		}
	}
	return false
}

// Again reports whether the call may be made again, and after how long; 0 if GitHub did not say.
func (f *failure) Again() (after time.Duration, again bool) { return f.after, f.Is(ErrTransient) }

// Unwrap returns the error that was classified, if there was one.
func (f *failure) Unwrap() error { return f.cause }

// RetryAfter returns how long to wait before a transient call is made again; 0 if GitHub did not say.
func RetryAfter(err error) time.Duration {
	var f *failure
	if errors.As(err, &f) {
		return f.after
	}
	return 0
}

// Explain returns an error as a reason for people: GitHub's own words, without the calls that led to them.
func Explain(err error) promotion.Reason {
	if err == nil {
		return promotion.Reason{}
	}
	var f *failure
	if errors.As(err, &f) {
		return promotion.Because(promotion.Refused).With(f.text)
	}
	return promotion.Because(promotion.Refused).With(err.Error())
}

func tooMany(text string) error {
	return &failure{classes: []error{ErrRefused, ErrTooMany}, text: text}
}

func refused(format string, args ...any) error {
	return &failure{classes: []error{ErrRefused}, text: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &failure{classes: []error{ErrRefused, ErrNotFound}, text: fmt.Sprintf(format, args...)}
}

func noAccess(text string, cause error) error {
	return &failure{classes: []error{ErrRefused, ErrNoAccess}, text: text, cause: cause}
}

func transient(after time.Duration, text string, cause error) error {
	return &failure{classes: []error{ErrTransient}, text: text, after: after, cause: cause}
}

// incomplete is the error of an answer that lacks fields which every answer of its kind has: half of it is worse than
// none.
func incomplete(what string) error {
	return transient(0, "GitHub's answer is incomplete: it lacks "+what, nil)
}

// classify gives an error of a call its class. It is the only place that does.
func classify(err error) error {
	var known *failure
	var token *ghinstallation.HTTPError
	var answer *github.ErrorResponse
	var syntax *json.SyntaxError
	var network net.Error
	var link *url.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return transient(0, "no answer in time", err)
	case errors.As(err, &token) && token.Response != nil:
		return tokenFailure(token)
	case errors.As(err, &answer):
		return statusFailure(answer.Response.StatusCode, words(answer), answer.Response.Header)
	case errors.As(err, &syntax):
		return transient(0, "GitHub's answer is not JSON", err)
	case errors.As(err, &network), errors.As(err, &link), errors.Is(err, io.ErrUnexpectedEOF):
		return transient(0, "GitHub cannot be reached", err)
	}
	return err
}

// tokenFailure classifies a refusal to mint an installation token.
func tokenFailure(e *ghinstallation.HTTPError) error {
	defer e.Response.Body.Close()
	status, header := e.Response.StatusCode, e.Response.Header
	var said struct {
		Message string `json:"message"`
	}
	body, err := io.ReadAll(io.LimitReader(e.Response.Body, maxErrorBody))
	if err != nil || json.Unmarshal(body, &said) != nil || said.Message == "" {
		said.Message = "GitHub gives no token: " + e.Response.Status
	}
	switch {
	case status == http.StatusForbidden && (header.Get("Retry-After") != "" || remaining(header) == 0 || secondary(body)):
		return transient(seconds(header.Get("Retry-After")), said.Message, nil)
	case status == http.StatusNotFound:
		return noAccess("the App is not installed there", nil)
	case status == http.StatusForbidden, status == http.StatusUnprocessableEntity:
		return noAccess(said.Message, nil)
	}
	return statusFailure(status, said.Message, header)
}

// statusFailure classifies an answer by its status.
func statusFailure(status int, text string, header http.Header) error {
	if text == "" {
		text = strings.TrimSpace(fmt.Sprintf("GitHub answered %d %s", status, http.StatusText(status)))
	}
	switch {
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return transient(seconds(header.Get("Retry-After")), text, nil)
	// a token that has been revoked, or a clock that is wrong: not the call's fault
	case status == http.StatusUnauthorized:
		return transient(0, text, nil)
	case status == http.StatusNotFound, status == http.StatusGone:
		return notFound("%s", text)
	case status >= 300 && status < 400: // never followed: a name that leads elsewhere is another repository (T22)
		return noAccess("the repository has moved", nil)
	case isArchived(text), isSuspended(text):
		return noAccess(text, nil)
	case status == http.StatusBadRequest:
		return errors.New(text)
	}
	return refused("%s", text)
}

// isArchived reports whether GitHub refuses to write because the repository is archived. The write waits: the archiving
// can be taken back.
func isArchived(text string) bool { return strings.Contains(text, "was archived so is read-only") }

// isSuspended reports whether GitHub answers so to the token of an installation that was suspended after the token was
// given.
func isSuspended(text string) bool { return strings.Contains(text, "installation has been suspended") }

// words puts together the words of GitHub in an error.
func words(e *github.ErrorResponse) string {
	text := []string{e.Message}
	if e.Message == "Validation Failed" && len(e.Errors) > 0 {
		text = nil
	}
	for _, one := range e.Errors {
		if one.Message != "" {
			text = append(text, one.Message)
		} else if one.Code != "" {
			text = append(text, strings.TrimSpace(strings.Join([]string{one.Resource, one.Field, one.Code}, " ")))
		}
	}
	return clip(strings.Join(text, ". "), maxErrorText)
}
