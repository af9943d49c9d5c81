package gh

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Said is a text that a person has written below a pull request.
type Said struct {
	Pull int
	ID   int64 // of the comment
	By   promotion.Actor
	Text string
	At   time.Time
}

// Since lists the comments that people have written below pull requests since a time, the oldest first. As from
// webhooks it takes none of bots, of Apps in a person's name, and none that was edited.
func (co Comments) Since(ctx context.Context, since time.Time) (all []Said, err error) {
	err = pages(func(page *github.ListOptions) (*github.Response, error) {
		query := url.Values{
			"sort": {"created"}, "direction": {"asc"}, "since": {since.UTC().Format(time.RFC3339)},
			"per_page": {strconv.Itoa(page.PerPage)}, "page": {strconv.Itoa(page.Page)},
		}
		list := fmt.Sprintf("repos/%s/%s/issues/comments?%s", co.c.owner, co.c.name, query.Encode())
		request, err := co.c.rest.NewRequest(http.MethodGet, list, nil)
		if err != nil {
			return nil, err
		}
		var some []written
		response, err := co.c.rest.Do(ctx, request, &some)
		for _, one := range some {
			if said, is := one.said(); is && !said.At.Before(since) {
				all = append(all, said)
			}
		}
		return response, err
	})
	return all, co.c.wrong(err, "list the comments since %s", since.Format(time.RFC3339))
}

// written is a comment as GitHub lists it. go-github v60 does not know that an App may have written it.
type written struct {
	github.IssueComment
	App *struct{} `json:"performed_via_github_app"`
}

func (w written) said() (s Said, is bool) {
	_, last, _ := strings.Cut(w.GetIssueURL(), "/issues/")
	number, err := strconv.Atoi(last)
	s = Said{number, w.GetID(), actor(w.User), w.GetBody(), utc(w.CreatedAt)}
	person := w.GetUser().GetType() != "Bot" && w.App == nil && s.By.ID != 0
	unchanged := w.GetUpdatedAt().Equal(w.GetCreatedAt())
	return s, err == nil && s.ID != 0 && person && unchanged && strings.Contains(w.GetHTMLURL(), "/pull/")
}
