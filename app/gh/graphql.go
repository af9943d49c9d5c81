package gh

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"

	"waybill/promotion"
)

// Documents are written out rather than made from Go types: their fields depend on how many files there are, and of a
// mutation that fails half-way GitHub tells which half, in the types and paths of its errors.

// graphQLError is one entry of "errors" in an answer that came with 200.
type graphQLError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Path    []any  `json:"path"`

	document string                    // that was sent
	used     *ghinstallation.Transport // the token that it bore
}

// last is the field that failed: the last part of its path.
func (e graphQLError) last() string {
	if len(e.Path) == 0 {
		return ""
	}
	return fmt.Sprint(e.Path[len(e.Path)-1])
}

// isOff reports whether a field is null because the account has not granted checks, commit statuses or deployments,
// which are then read as none.
func (e graphQLError) isOff() bool {
	return slices.Contains([]string{"checkSuites", "status", "deployments"}, e.last()) &&
		strings.Contains(e.Message, notGranted)
}

// ask sends a document. Fields that were answered are decoded into the target even when there is an error, because the
// fields of a mutation are carried out one by one.
func (g graph) ask(ctx context.Context, document string, variables map[string]any, into any) error {
	failures, err := g.send(ctx, document, variables, into)
	failures = slices.DeleteFunc(failures, graphQLError.isOff)
	if err == nil && len(failures) > 0 {
		err = g.failure(ctx, failures)
	}
	return err
}

// send sends a document. The error is that of the whole request; failures are those of single fields. A query is sent
// once more where a new token will show why a field was refused.
func (g graph) send(
	ctx context.Context, document string, variables map[string]any, into any,
) (failures []graphQLError, err error) {
	failures, err = g.sendOnce(ctx, document, variables, into)
	again := func(e graphQLError) bool { return errors.Is(g.refusedField(ctx, e), ErrTransient) }
	if err == nil && !strings.HasPrefix(document, "mutation") && slices.ContainsFunc(failures, again) {
		failures, err = g.sendOnce(ctx, document, variables, into)
	}
	return failures, err
}

func (g graph) sendOnce(
	ctx context.Context, document string, variables map[string]any, into any,
) (failures []graphQLError, err error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return nil, fmt.Errorf("encode GraphQL request: %w", err)
	}
	var used *ghinstallation.Transport
	ctx = context.WithValue(ctx, usedKey{}, &used)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.c.hub.config.V4URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make GraphQL request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "waybill")
	response, err := g.c.http.Do(request)
	if err != nil {
		return nil, classify(err)
	}
	defer response.Body.Close()
	failures, err = g.decode(response, into)
	for i := range failures {
		failures[i].document, failures[i].used = document, used
	}
	return failures, err
}

func (g graph) decode(response *http.Response, into any) ([]graphQLError, error) {
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, classify(err)
	}
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Errors  []graphQLError  `json:"errors"`
		Message string          `json:"message"` // of an answer that is not 200
	}
	parsed := json.Unmarshal(content, &answer)
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, statusFailure(response, clip(answer.Message, maxErrorText))
	case parsed != nil:
		return nil, transient(0, "GitHub's answer is not JSON", parsed)
	}
	if len(answer.Data) > 0 && string(answer.Data) != "null" {
		if err := json.Unmarshal(answer.Data, into); err != nil {
			return nil, fmt.Errorf("decode GraphQL answer: %w", err)
		}
	}
	return answer.Errors, nil
}

// gravity is which of several errors of an answer decides. What says nothing about the question comes first: the next
// try shows what is left.
var gravity = []Class{
	ClassThrottled, ClassLimited, ClassTooMuch, ClassSlow, ClassTrouble, ClassNoAccess, ClassLacking, ClassFinal,
	ClassRuled, ClassQueued, ClassPassing, ClassLookAgain, ClassNotFound,
}

// failure classifies the errors of an answer. The gravest decides; the words of all of them are kept.
func (g graph) failure(ctx context.Context, all []graphQLError) error {
	var text []string
	var gravest *failure
	for _, e := range all {
		one := g.oneFailure(ctx, e)
		text = append(text, one.text)
		if gravest == nil || slices.Index(gravity, one.class) < slices.Index(gravity, gravest.class) {
			gravest = one
		}
	}
	gravest.text = clip(strings.Join(text, ". "), maxErrorText)
	return gravest
}

// oneFailure classifies one error of an answer.
func (g graph) oneFailure(ctx context.Context, e graphQLError) *failure {
	var at []string
	for _, part := range e.Path {
		at = append(at, fmt.Sprint(part))
	}
	if why := failureOf(g.refusedField(ctx, e)); why != nil {
		return why
	}
	f := &failure{text: clip(cmp.Or(e.Message, "GitHub answered "+e.Type), maxErrorText)}
	f.class = meaningOf(refusal{At: strings.Join(at, "/"), Type: e.Type, Text: e.Message})
	if f.class == ClassLimited {
		f.after = g.pause(ctx)
	}
	return f
}

// pause is how long GraphQL is left alone when GitHub says that its share is used up.
func (g graph) pause(ctx context.Context) time.Duration {
	i, err := g.c.by(ctx)
	if err != nil {
		return time.Minute
	}
	return max(i.gate.shut(resourceGraphQL), time.Minute)
}

// ofCommits is a query for the same of several commits, which the answer calls c0, c1 and so on: fragment has the
// fields of each, and text is its definition.
func (g graph) ofCommits(
	query string, commits []promotion.SHA, fragment, text string,
) (document string, variables map[string]any) {
	variables = map[string]any{"owner": g.c.owner, "name": g.c.name}
	declared, fields := "$owner: String!, $name: String!", ""
	for i, sha := range commits {
		variables[fmt.Sprintf("c%d", i)] = string(sha)
		declared += fmt.Sprintf(", $c%d: GitObjectID!", i)
		fields += fmt.Sprintf(" c%d: object(oid: $c%d) { ...%s }", i, i, fragment)
	}
	return "query " + query + "(" + declared + ") { repository(owner: $owner, name: $name) {" + fields + " } }" +
		text, variables
}
