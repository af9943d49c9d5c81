package gh

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

const statusMarker = "<!-- waybill:status -->"

func (k *kit) discussed() int {
	k.Helper()
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(k, err)
	return number
}

func TestACommentIsWrittenOnceF20(t *testing.T) {
	k := newKit(t)
	number := k.discussed()
	comment := Comment{Issue: number, Marker: "<!-- waybill:tell/7/failed -->", Body: "It failed."}
	k.Faults().FailNext(githubsim.Route{Method: "POST", Path: path("/issues/{issue_number}/comments")},
		githubsim.Fault{LoseReply: true})
	_, err := k.client.Comments.Write(t.Context(), comment)
	require.ErrorIs(t, err, ErrTransient)
	comment.Body = "Said otherwise."
	known, err := k.client.Comments.Write(t.Context(), comment)
	require.NoError(t, err)
	written := k.Comments(repo, number)
	require.Len(t, written, 1)
	require.Equal(t, known.ID, written[0].ID)
	require.NoError(t, k.client.Comments.Minimize(t.Context(), []string{known.Node, "IC_gone"}))
	require.NotEmpty(t, k.Comments(repo, number)[0].Minimized)
	require.Equal(t, "It failed.\n\n"+comment.Marker, written[0].Body)
}

func TestAMarkerOfSomebodyElseIsNotBelievedT37(t *testing.T) {
	k := newKit(t)
	number := k.discussed()
	theirs, err := k.Server.Comment(repo, number, "ann", "All is well. "+statusMarker)
	require.NoError(t, err)
	known, err := k.client.Comments.Save(t.Context(), Comment{Issue: number, Marker: statusMarker, Body: "waiting"})
	require.NoError(t, err)
	require.NotEqual(t, theirs, known.ID)
	require.Len(t, k.Comments(repo, number), 2)
}

func TestASavedCommentIsEditedAndComesBackWhenDeleted(t *testing.T) {
	k := newKit(t)
	number := k.discussed()
	comment := Comment{Issue: number, Marker: statusMarker, Body: "waiting"}
	first, err := k.client.Comments.Save(t.Context(), comment)
	require.NoError(t, err)
	comment.Body = "merged"
	again, err := k.client.Comments.Save(t.Context(), comment)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, "merged\n\n"+statusMarker, k.Comments(repo, number)[0].Body)

	require.NoError(t, k.DeleteComment(repo, first.ID, "ann"))
	comment.ID = first.ID
	second, err := k.client.Comments.Save(t.Context(), comment)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	third, err := k.client.Comments.Save(t.Context(), comment)
	require.NoError(t, err)
	require.Equal(t, second, third, "who knows only the one that is gone finds the one in its place")
	require.Len(t, k.Comments(repo, number), 1)
}

// TestNobodyIsSaidToHaveNoPermissionWhereTheAppCannotLook has the repository gone while a token lasts.
func TestNobodyIsSaidToHaveNoPermissionWhereTheAppCannotLook(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateUser("ann2"))
	require.NoError(t, k.SetPermission(repo, "ann2", "admin"))
	_, err := k.client.People.Permission(t.Context(), "ann2")
	require.NoError(t, err)
	require.NoError(t, k.DeleteRepo(repo))
	_, err = k.client.People.Permission(t.Context(), "ann2")
	require.ErrorIs(t, err, ErrNoAccess)
}

func TestPermissionIsWhatThePersonMayDoHereT13(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateUser("stranger"))
	for login, level := range map[string]string{"ann": "maintain", "bob": "triage", "eve": "admin", "dan": "read"} {
		require.NoError(t, k.CreateUser(login+"2"))
		require.NoError(t, k.SetPermission(repo, login+"2", level))
	}
	for login, want := range map[promotion.Login][2]string{
		"ann2": {"write", "maintain"}, "bob2": {"read", "triage"}, "eve2": {"admin", "admin"}, "dan2": {"read", "read"},
		"stranger": {"none", "none"}, "nobody-of-that-name": {"none", "none"},
	} {
		p, err := k.client.People.Permission(t.Context(), login)
		require.NoError(t, err, login)
		require.Equal(t, want, [2]string{p.Level, p.Role}, login)
	}
	p, err := k.client.People.Permission(t.Context(), "ann2")
	require.NoError(t, err)
	require.NotZero(t, p.Actor.ID, "rights are decided by the id")

	k.Faults().FailNext(githubsim.Route{Path: path("/collaborators/{username}/permission")}, githubsim.Fault{Status: 500})
	p, err = k.client.People.Permission(t.Context(), "ann2")
	require.ErrorIs(t, err, ErrTransient)
	require.Empty(t, p.Level)
}
