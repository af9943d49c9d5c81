package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// ErrIgnored is the error of Decode for a delivery that it has no use for: its event is not read here, go-github cannot
// parse it, or it does not name its subject. It is counted, and never tried again.
var ErrIgnored = errors.New("nothing to learn")

// Self identifies our own App. Its check runs and comments are not signals, and its acts are not decisions of a person.
type Self struct {
	AppID int64
	Slug  string
	// Called is the name that the repository of a delivery has now, if the delivery has one from before; else empty.
	Called promotion.Repo
}

// Decode returns the events of a delivery. It is pure: the same delivery always has the same events.
func Decode(us Self, event string, body []byte) (Told, error) {
	if event == "package" || event == "registry_package" {
		return us.image(event, body)
	}
	parsed, err := parse(event, body)
	if err != nil {
		return Told{}, err
	}
	switch e := parsed.(type) {
	case *github.CheckRunEvent:
		return us.checkRun(e)
	case *github.CheckSuiteEvent:
		return us.checkSuite(e)
	case *github.WorkflowRunEvent:
		return us.run(e)
	case *github.StatusEvent:
		return us.status(e)
	case *github.DeploymentStatusEvent:
		return us.deploymentStatus(e)
	case *github.PullRequestEvent:
		return us.pullRequest(e, body)
	case *github.MergeGroupEvent:
		return us.group(e)
	case *github.DeploymentProtectionRuleEvent:
		return us.protectedJob(e, body)
	case *github.IssueCommentEvent:
		return us.comment(e, body)
	case *github.PullRequestReviewEvent:
		return us.review(e)
	case *github.MemberEvent:
		return us.people(ownerOf(e.Repo), e.Installation, e.Sender)
	case *github.MembershipEvent:
		return us.people(accountOf(e.Org), e.Installation, e.Sender)
	case *github.OrganizationEvent:
		return us.organization(e)
	case *github.TeamEvent:
		return us.people(accountOf(e.Org), e.Installation, e.Sender)
	case *github.PushEvent:
		return us.push(e)
	case *github.ReleaseEvent:
		return us.release(e)
	case *github.RepositoryDispatchEvent:
		return us.dispatch(e)
	case *github.InstallationEvent:
		return us.installation(e)
	case *github.InstallationRepositoriesEvent:
		return us.reselection(e)
	case *github.RepositoryEvent:
		return us.repository(e)
	}
	return Told{}, fmt.Errorf("%w from %s", ErrIgnored, event)
}

// parse parses a payload as github.ParseWebHook does, except that it forgives a repository its custom properties: one
// that allows several values is a list, for which go-github v60 has no room, and would silence the whole repository.
func parse(event string, body []byte) (any, error) {
	parsed := github.EventForType(event)
	if parsed == nil {
		return nil, fmt.Errorf("%w from %s: go-github does not know it", ErrIgnored, event)
	}
	return parsed, unmarshal(event, body, parsed)
}

func unmarshal(event string, body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) && strings.Contains(misfit.Field, "custom_properties") {
		err = nil // all else has been decoded
	}
	if err != nil {
		return fmt.Errorf("%w from %s: %w", ErrIgnored, event, err)
	}
	return nil
}

// incomplete is the error of a delivery that does not name its subject.
func incomplete(event string) error {
	return fmt.Errorf("%w from %s: it does not say what it is about", ErrIgnored, event)
}

// about begins the result for a delivery about a repository.
func (us Self) about(r *github.Repository, i *github.Installation, sender *github.User) Told {
	if r != nil && us.Called != "" {
		r.FullName = new(string(us.Called))
	}
	return Told{From: From{
		Repo:          promotion.Repo(r.GetFullName()),
		RepoID:        r.GetID(),
		Installation:  i.GetID(),
		Account:       ownerOf(r),
		DefaultBranch: r.GetDefaultBranch(),
		Sender:        actor(sender),
		SenderIsBot:   sender.GetType() == "Bot",
		Ours:          us.is(sender),
	}}
}

// tell adds an event.
func (f *Told) tell(e Event) { f.Events = append(f.Events, e) }

// named reports whether the delivery is about a repository.
func (f *Told) named() bool { return f.Repo != "" && f.RepoID != 0 }

// is reports whether an account is the bot account of our App. No person can have brackets in their login.
func (us Self) is(u *github.User) bool {
	return us.Slug != "" && strings.EqualFold(u.GetLogin(), us.Slug+"[bot]")
}

// by returns the person of an act; the zero value, which is Waybill itself, if it was our App.
func (us Self) by(u *github.User) promotion.Actor {
	if us.is(u) {
		return promotion.Actor{}
	}
	return actor(u)
}

func actor(u *github.User) promotion.Actor {
	return promotion.Actor{ID: u.GetID(), Login: promotion.Login(u.GetLogin())}
}
