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
	"slices"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Every error of GitHub has a Class. Most callers ask only which of these it is.
var (
	// ErrRefused is GitHub's no. Asking again changes nothing, and Explain has the words for people.
	ErrRefused = errors.New("refused by GitHub")
	// ErrNoAccess is a no to everything: the App is not installed there any more, suspended, or the repository is gone.
	// Work that is refused for this reason waits until access comes back. It is always ErrRefused, too.
	ErrNoAccess = errors.New("no access")
	// ErrLacking is a no because the App lacks a permission, which Explain names. It is always ErrNoAccess, too.
	ErrLacking = errors.New("a permission is missing")
	// ErrNotFound is a no because the thing asked for is not there. It is always ErrRefused, too.
	ErrNotFound = errors.New("not found")
	// ErrTooMany is a no because GitHub shows only a part of the answer. It is always ErrRefused, too.
	ErrTooMany = errors.New("more than GitHub lists")
	// ErrPassing is a no that may be over after some time, or may not: who was refused tries again for a while, and tells
	// people GitHub's words meanwhile. It is always ErrRefused, too.
	ErrPassing = errors.New("refused by GitHub for now")
	// ErrTransient says nothing about the question: the network, GitHub's own trouble, or a limit. The same call may be
	// made again, after RetryAfter. Whether it had an effect is unknown.
	ErrTransient error = again{}
)

// meanings are the errors that an error of a class is, for errors.Is.
var meanings = map[Class][]error{
	ClassFinal: {ErrRefused}, ClassRuled: {ErrRefused}, ClassQueued: {ErrRefused},
	ClassNotFound: {ErrRefused, ErrNotFound}, ClassNoAccess: {ErrRefused, ErrNoAccess},
	ClassLacking: {ErrRefused, ErrNoAccess, ErrLacking}, ClassUnlisted: {ErrRefused, ErrTooMany},
	ClassPassing: {ErrRefused, ErrPassing}, ClassLookAgain: {ErrRefused, ErrPassing},
	ClassTooMuch: {ErrTransient}, ClassSlow: {ErrTransient}, ClassThrottled: {ErrTransient},
	ClassLimited: {ErrTransient}, ClassTrouble: {ErrTransient},
}

// again is ErrTransient.
type again struct{}

func (again) Error() string { return "GitHub cannot answer now" }

// Again says that the call may be made again at once.
func (again) Again() (after time.Duration, again bool) { return 0, true }

// failure is an error whose class is known.
type failure struct {
	class Class
	text  string // for people, in GitHub's words where it has some
	after time.Duration
	cause error
}

// failureOf returns the failure that an error is; nil if it is none.
func failureOf(err error) *failure {
	var f *failure
	errors.As(err, &f)
	return f
}

// Error returns GitHub's words.
func (f *failure) Error() string { return f.text }

// Is reports whether the failure's class means this error.
func (f *failure) Is(target error) bool { return slices.Contains(meanings[f.class], target) }

// Again reports whether the call may be made again, and after how long; 0 if GitHub did not say.
func (f *failure) Again() (after time.Duration, again bool) { return f.after, f.Is(ErrTransient) }

// Unwrap returns the error that was classified, if there was one.
func (f *failure) Unwrap() error { return f.cause }

// RetryAfter returns how long to wait before a transient call is made again; 0 if GitHub did not say.
func RetryAfter(err error) time.Duration {
	if f := failureOf(err); f != nil {
		return f.after
	}
	return 0
}

// RefusesThis reports whether GitHub refuses just what was asked for, and not everything in the repository.
func RefusesThis(err error) bool {
	err = classify(err)
	return errors.Is(err, ErrRefused) && !errors.Is(err, ErrNoAccess)
}

// Explain returns an error as a reason for people: GitHub's own words, without the calls that led to them.
func Explain(err error) promotion.Reason {
	if err == nil {
		return promotion.Reason{}
	}
	if f := failureOf(err); f != nil {
		return promotion.Because(promotion.Refused).With(f.text)
	}
	return promotion.Because(promotion.Refused).With(err.Error())
}

func tooMany(text string) error { return &failure{class: ClassUnlisted, text: text} }

func refused(format string, args ...any) error {
	return &failure{class: ClassFinal, text: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &failure{class: ClassNotFound, text: fmt.Sprintf(format, args...)}
}

func passing(format string, args ...any) error {
	return &failure{class: ClassPassing, text: fmt.Sprintf(format, args...)}
}

func noAccess(text string, cause error) error {
	return &failure{class: ClassNoAccess, text: text, cause: cause}
}

func transient(after time.Duration, text string, cause error) error {
	return &failure{class: ClassTrouble, text: text, after: after, cause: cause}
}

// incomplete is the error of an answer that lacks fields which every answer of its kind has: half of it is worse than
// none.
func incomplete(what string) error {
	return transient(0, "GitHub's answer is incomplete: it lacks "+what, nil)
}

// classify gives an error of a call its class. It is the only place that does, with oneFailure for GraphQL.
func classify(err error) error {
	var token *ghinstallation.HTTPError
	var answer *github.ErrorResponse
	var syntax *json.SyntaxError
	var network net.Error
	var link *url.Error
	switch {
	case err == nil, failureOf(err) != nil:
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &failure{class: ClassSlow, text: "no answer in time", cause: err}
	case errors.As(err, &token) && token.Response != nil:
		return tokenFailure(token)
	case errors.As(err, &answer):
		return statusFailure(answer.Response, words(answer))
	case errors.As(err, &syntax):
		return transient(0, "GitHub's answer is not JSON", err)
	case errors.As(err, &network) && network.Timeout():
		return &failure{class: ClassSlow, text: "GitHub cannot be reached", cause: err}
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
	case status == http.StatusForbidden && (header.Get("Retry-After") != "" || remaining(header) == 0):
		return &failure{class: ClassLimited, text: said.Message, after: seconds(header.Get("Retry-After"))}
	case status == http.StatusNotFound:
		said.Message = "the App is not installed there"
	}
	return statusFailure(e.Response, said.Message)
}

// statusFailure classifies an answer by its status and words.
func statusFailure(response *http.Response, text string) error {
	status := response.StatusCode
	f := &failure{after: seconds(response.Header.Get("Retry-After")), text: text}
	f.class = meaningOf(refusal{At: requestName(response.Request), Status: status, Text: text})
	switch {
	case status/100 == 3: // never followed: a name that leads elsewhere is another repository (T22)
		f.text = "the repository has moved"
	case text == "":
		f.text = strings.TrimSpace(fmt.Sprintf("GitHub answered %d %s", status, http.StatusText(status)))
	}
	return f
}

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
