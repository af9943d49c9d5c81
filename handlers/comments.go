package handlers

import (
	"encoding/json"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Comment is a text that a person has just written below a pull request. It may have commands.
type Comment struct {
	Number int   // of the pull request
	ID     int64 // of the comment; 0: it is the summary of a review
	Review int64 // of the review; 0: it is a comment
	By     promotion.Actor
	Text   string
	At     time.Time
	// Unmerged says that the pull request was not merged when it was written.
	Unmerged bool
}

// comment decodes a new comment, or the removal of one of ours by another account. Edits are not read, and comments of
// bots, or written through an App, give no commands (T5, T7).
func (us Self) comment(e *github.IssueCommentEvent, body []byte) (Told, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() || e.GetIssue().GetNumber() == 0 || e.GetComment().GetUser().GetID() == 0 {
		return Told{}, incomplete("issue_comment")
	}
	author := e.GetComment().GetUser()
	if e.GetAction() == "deleted" && us.is(author) && !f.Ours {
		f.tell(&Removal{Number: e.GetIssue().GetNumber(), Comment: e.GetComment().GetID()})
	}
	if e.GetAction() != "created" || !e.GetIssue().IsPullRequest() || f.SenderIsBot || author.GetType() == "Bot" ||
		viaApp(body) {
		return f, nil
	}
	f.tell(&Comment{
		Number: e.GetIssue().GetNumber(), ID: e.GetComment().GetID(), By: actor(author), Text: e.GetComment().GetBody(),
		At: at(e.GetComment().CreatedAt), Unmerged: e.GetIssue().GetPullRequestLinks().MergedAt == nil,
	})
	return f, nil
}

// viaApp reports whether an App wrote a comment in a person's name. go-github v60 does not know the field.
func viaApp(body []byte) bool {
	var said struct {
		Comment struct {
			App *struct{} `json:"performed_via_github_app"`
		} `json:"comment"`
	}
	return json.Unmarshal(body, &said) != nil || said.Comment.App != nil
}
