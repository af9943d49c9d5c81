package graphql

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/wire"

import (
	"cmp"
	"net/http"
	"strings"

	"waybill/internal/githubsim/graph"
)

// mutate is one mutation: it returns the payload's fields.
type mutate func(in graph.Args) (graph.Fields, error)

// mutations executes the mutations of one caller.
type mutations struct{ *objects }

// root returns the root of mutations; injected is a field that must fail.
func (g *mutations) root(injected *wire.FieldError) *graph.Object {
	fields := graph.Fields{}
	for name, run := range map[string]mutate{
		"createRef": g.createRef, "updateRef": g.updateRef, "updateRefs": g.updateRefs, "deleteRef": g.deleteRefMutation,
		"createCommitOnBranch": g.createCommitOnBranch,
		"createPullRequest":    g.createPullRequest, "updatePullRequest": g.updatePullRequest,
		"closePullRequest":  g.closePullRequest,
		"reopenPullRequest": g.reopenPullRequest, "mergePullRequest": g.mergePullRequest,
		"enablePullRequestAutoMerge": g.enableAutoMerge, "disablePullRequestAutoMerge": g.disableAutoMerge,
		"enqueuePullRequest": g.enqueuePullRequest, "dequeuePullRequest": g.dequeuePullRequest,
		"addComment": g.addCommentMutation, "updateIssueComment": g.updateIssueComment,
		"deleteIssueComment": g.deleteIssueComment,
		"minimizeComment":    g.minimizeComment, "unminimizeComment": g.unminimizeComment,
		"createCheckRun": g.createCheckRun, "updateCheckRun": g.updateCheckRun,
		"createDeploymentStatus": g.createDeploymentStatusMutation,
	} {
		fields[name] = g.mutate(name, run, injected)
	}
	return &graph.Object{Type: "Mutation", Fields: fields}
}

func (g *mutations) mutate(name string, run mutate, injected *wire.FieldError) graph.Resolver {
	return func(args graph.Args) (any, error) {
		if injected != nil && injected.Field == name {
			return nil, &graph.Error{Type: cmp.Or(injected.Type, "UNPROCESSABLE"), Message: injected.Message}
		}
		in := args.Object("input")
		fields, err := run(in)
		if err != nil {
			err = asGraphError(err)
		}
		if fields == nil {
			return nil, err
		}
		fields["clientMutationId"] = graph.Value(in["clientMutationId"])
		return &graph.Object{Type: strings.ToUpper(name[:1]) + name[1:] + "Payload", Fields: fields}, err
	}
}

// asGraphError converts a refusal of the REST API to an error of GraphQL's types.
func asGraphError(err error) error {
	if _, isTyped := err.(*graph.Error); isTyped {
		return err
	}
	e := hub.AsRefusal(err)
	kind := "UNPROCESSABLE"
	switch e.Status {
	case http.StatusForbidden:
		kind = "FORBIDDEN"
	case http.StatusNotFound:
		kind = "NOT_FOUND"
	case http.StatusInternalServerError:
		kind = "INTERNAL"
	}
	return &graph.Error{Type: kind, Message: e.Text()}
}
