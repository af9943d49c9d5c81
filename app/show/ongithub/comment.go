package ongithub

import (
	"context"
	"strconv"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/store"
)

// showComment brings a comment to GitHub and returns its id there. It overwrites edits of people, and makes a deleted
// comment again.
func (g *Surface) showComment(ctx context.Context, v *store.View) (id string, err error) {
	var sticky views.CommentView
	if err := surface.ReadLook(v, &sticky); err != nil {
		return "", err
	}
	known, err := surface.Remote(v)
	if err != nil {
		return "", err
	}
	client, err := g.Client(sticky.Repo)
	if err != nil {
		return "", err
	}
	comment, err := client.Comments.Save(ctx, gh.Comment{
		Issue: sticky.Number, ID: known, Marker: views.CommentMark, Body: sticky.Body(), Fresh: g.first(v, sticky.Merged),
	})
	v.Node = comment.Node
	return strconv.FormatInt(comment.ID, 10), err
}
