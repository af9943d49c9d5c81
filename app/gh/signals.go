package gh

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// On asks for everything that counts as a signal on some commits, or only for the given kinds. Our own App's check
// runs, statuses and deployments are left out. If anything could not be read there is an error and nothing else; but
// where no kinds are given, those that the account has not granted are left out.
//
// It is asked for by REST, although one GraphQL query would do: GraphQL gives no ids of statuses, by which the newest
// one of a context is known, and no branch of a suite whose branch has been deleted, by which runs of ours are known.
func (sg Signals) On(
	ctx context.Context, shas []promotion.SHA, kinds ...promotion.SignalKind,
) ([]promotion.Signal, []promotion.Suite, error) {
	self, err := sg.c.self(ctx)
	if err != nil {
		return nil, nil, err
	}
	s := &sighting{client: sg.c, self: self}
	for _, sha := range shas {
		for _, ask := range []struct {
			kind promotion.SignalKind
			read func(context.Context, promotion.SHA) error
		}{
			{promotion.KindCheck, s.suitesOf}, {promotion.KindCheck, s.checksOf},
			{promotion.KindStatus, s.statusesOf}, {promotion.KindDeployment, s.deploymentsOf},
		} {
			if len(kinds) > 0 && !slices.Contains(kinds, ask.kind) {
				continue
			}
			if err := ask.read(ctx, sha); isOff(err) && len(kinds) == 0 {
				continue
			} else if err != nil {
				return nil, nil, sg.c.wrong(err, "read %ss on %s", ask.kind, sha)
			}
		}
	}
	return s.signals, s.suites, nil
}

// named asks for the check runs of one name on a commit; empty: for all.
func (sg Signals) named(ctx context.Context, sha promotion.SHA, name string) ([]promotion.Signal, error) {
	self, err := sg.c.self(ctx)
	if err != nil {
		return nil, err
	}
	s := &sighting{client: sg.c, self: self}
	err = classify(s.checksNamed(ctx, sha, name))
	return s.signals, sg.c.wrong(err, "read the checks on %s", sha)
}

// sighting collects signals.
type sighting struct {
	client  *Client
	self    Self
	signals []promotion.Signal
	suites  []promotion.Suite
}

func (s *sighting) suitesOf(ctx context.Context, sha promotion.SHA) error {
	c := s.client
	return pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Checks.ListCheckSuitesForRef(ctx, c.owner, c.name, string(sha),
			&github.ListCheckSuiteOptions{ListOptions: *page})
		if err != nil {
			return nil, err
		}
		for _, one := range some.CheckSuites {
			if one.GetID() == 0 {
				return nil, incomplete("a check suite")
			}
			if one.GetApp().GetID() == s.self.AppID {
				continue
			}
			s.suites = append(s.suites, promotion.Suite{
				Repo: c.repo, ID: one.GetID(), SHA: sha, App: one.GetApp().GetSlug(), Branch: one.GetHeadBranch(),
				Completed: one.GetStatus() == "completed", Conclusion: one.GetConclusion(),
			})
		}
		return response, nil
	})
}

// checksOf asks for all runs and not for GitHub's choice of the latest ones, which goes by when they were completed: of
// two runs of a name the newer one counts even while it is still running.
func (s *sighting) checksOf(ctx context.Context, sha promotion.SHA) error {
	return s.checksNamed(ctx, sha, "")
}

// checksNamed asks for the runs of one name; empty: of all.
func (s *sighting) checksNamed(ctx context.Context, sha promotion.SHA, name string) error {
	c := s.client
	which := github.ListCheckRunsOptions{Filter: github.String("all")}
	if name != "" {
		which.CheckName = &name
	}
	return pages(func(page *github.ListOptions) (*github.Response, error) {
		which.ListOptions = *page
		some, response, err := c.rest.Checks.ListCheckRunsForRef(ctx, c.owner, c.name, string(sha), &which)
		if err != nil {
			return nil, err
		}
		for _, one := range some.CheckRuns {
			if one.GetID() == 0 {
				return nil, incomplete("a check run")
			}
			if one.GetApp().GetID() != s.self.AppID {
				s.signals = append(s.signals, s.check(one, sha))
			}
		}
		return response, nil
	})
}

func (s *sighting) check(run *github.CheckRun, sha promotion.SHA) promotion.Signal {
	signal := promotion.Signal{
		Repo: s.client.repo, Kind: promotion.KindCheck, ID: run.GetID(), SHA: sha, App: run.GetApp().GetSlug(),
		Suite: run.GetCheckSuite().GetID(), Name: run.GetName(), State: run.GetStatus(), URL: run.GetHTMLURL(),
		Started: utc(run.StartedAt),
	}
	if run.GetStatus() == "completed" {
		signal.State, signal.Ended = run.GetConclusion(), utc(run.CompletedAt)
	}
	signal.Observed = promotion.Later(signal.Started, signal.Ended)
	return signal
}

func (s *sighting) statusesOf(ctx context.Context, sha promotion.SHA) error {
	c := s.client
	return pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Repositories.ListStatuses(ctx, c.owner, c.name, string(sha), page)
		for _, one := range some {
			if one.GetID() == 0 {
				return nil, incomplete("a status")
			}
			if s.self.is(one.Creator) {
				continue
			}
			signal := promotion.Signal{
				Repo: c.repo, Kind: promotion.KindStatus, ID: one.GetID(), SHA: sha, Name: one.GetContext(), State: one.GetState(),
				URL: one.GetTargetURL(), Started: utc(one.CreatedAt),
				Observed: promotion.Later(utc(one.CreatedAt), utc(one.UpdatedAt)),
			}
			if signal.State != "pending" {
				signal.Ended = signal.Observed
			}
			s.signals = append(s.signals, signal)
		}
		return response, err
	})
}

func (s *sighting) deploymentsOf(ctx context.Context, sha promotion.SHA) error {
	c := s.client
	var found []*github.Deployment
	err := pages(func(page *github.ListOptions) (*github.Response, error) {
		some, response, err := c.rest.Repositories.ListDeployments(ctx, c.owner, c.name,
			&github.DeploymentsListOptions{SHA: string(sha), ListOptions: *page})
		found = append(found, some...)
		return response, err
	})
	if err != nil {
		return err
	}
	for _, d := range found {
		if d.GetID() == 0 {
			return incomplete("a deployment")
		}
		if s.self.is(d.Creator) {
			continue
		}
		some, _, err := c.rest.Repositories.ListDeploymentStatuses(ctx, c.owner, c.name, d.GetID(),
			&github.ListOptions{PerPage: perPage})
		if err != nil {
			return err
		}
		if len(some) == 0 {
			continue
		}
		status := telling(some)
		if status.GetID() == 0 {
			return incomplete("the status of a deployment")
		}
		s.signals = append(s.signals, s.deployment(d, status, sha))
	}
	return nil
}

// telling returns the newest status of a deployment, which comes first, that has its result: when a newer one succeeds,
// GitHub sets the older one to inactive.
func telling(all []*github.DeploymentStatus) *github.DeploymentStatus {
	for _, status := range all {
		if status.GetState() != "inactive" {
			return status
		}
	}
	return all[0]
}

// deployment is one signal, with any number of statuses.
func (s *sighting) deployment(
	d *github.Deployment, status *github.DeploymentStatus, sha promotion.SHA,
) promotion.Signal {
	signal := promotion.Signal{
		Repo: s.client.repo, Kind: promotion.KindDeployment, ID: d.GetID(), SHA: sha, Name: d.GetEnvironment(),
		State: status.GetState(), URL: status.GetLogURL(), Started: utc(d.CreatedAt),
		Observed: promotion.Later(utc(status.CreatedAt), utc(status.UpdatedAt)),
	}
	for _, url := range []string{status.GetTargetURL(), status.GetEnvironmentURL()} {
		if signal.URL == "" {
			signal.URL = url
		}
	}
	if slices.Contains([]string{"success", "failure", "error", "inactive"}, signal.State) {
		signal.Ended = signal.Observed
	}
	return signal
}

// utc returns a time as GitHub says it; zero if it does not.
func utc(t *github.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
