package rest

import (
	"net/http"
	"strconv"

	"waybill/internal/githubsim/hub"
)

func checkRoutes(t *table) {
	t.with("checks:write", "POST /repos/{owner}/{repo}/check-runs", createCheckRun)
	t.with("checks:read", "GET /repos/{owner}/{repo}/check-runs/{check_run_id}", showCheckRun)
	t.with("checks:write", "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", updateCheckRun)
	t.with("checks:read", "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", listAnnotations)
	t.with("checks:write", "POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", rerequestCheckRun)
	t.with("checks:read", "GET /repos/{owner}/{repo}/commits/{ref}/check-runs", listCommitRuns)
	t.with("checks:read", "GET /repos/{owner}/{repo}/commits/{ref}/check-suites", listCommitSuites)
	t.with("checks:write", "POST /repos/{owner}/{repo}/check-suites", createSuite)
	t.with("checks:read", "GET /repos/{owner}/{repo}/check-suites/{check_suite_id}", showSuite)
	t.with("checks:read", "GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs", listSuiteRuns)
	t.with("checks:write", "POST /repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest", rerequestSuite)
}

func createCheckRun(c *call) (reply, error) {
	if c.who.App == nil {
		return reply{}, hub.Refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var in hub.RunChange
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	run, err := c.Checks.Create(c.repo, c.who.App, in)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.RunRef(c.repo, run)), nil
}

func (c *call) run() (*hub.CheckRun, error) {
	id, err := c.id("check_run_id")
	if err != nil {
		return nil, err
	}
	return c.repo.Run(id)
}

func showCheckRun(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.RunRef(c.repo, run)), nil
}

func updateCheckRun(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	if c.who.App == nil {
		return reply{}, hub.Refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var in hub.RunChange
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	said, err := c.Checks.Update(c.repo, run, c.who.App, in)
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.RunRef(c.repo, said)), nil
}

func listAnnotations(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	return list(c, run.Annotations, func(a obj) any { return a }), nil
}

func rerequestCheckRun(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	if run.Status != "completed" {
		return reply{}, hub.Invalid("This check run is not rerequestable")
	}
	c.Checks.AskAgain(c.repo, run, c.who.Account)
	return created(obj{}), nil
}

// chosenRuns applies the filters that the list endpoints share.
func (c *call) chosenRuns(latest, all []*hub.CheckRun) []*hub.CheckRun {
	runs := latest
	if c.query("filter", "latest") == "all" {
		runs = all
	}
	var chosen []*hub.CheckRun
	for _, run := range runs {
		name, status, app := c.query("check_name", run.Name), c.query("status", run.Status),
			c.query("app_id", strconv.FormatInt(run.Suite.App.ID, 10))
		if name == run.Name && status == run.Status && app == strconv.FormatInt(run.Suite.App.ID, 10) {
			chosen = append(chosen, run)
		}
	}
	return chosen
}

func listCommitRuns(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, err
	}
	runs := c.chosenRuns(c.repo.LatestRuns(commit.SHA), c.repo.AllRuns(commit.SHA))
	return counted(c, "check_runs", runs, func(run *hub.CheckRun) any { return c.Render.RunRef(c.repo, run) }), nil
}

func listCommitSuites(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, err
	}
	var suites []*hub.CheckSuite
	for _, one := range c.repo.Suites {
		app := c.query("app_id", strconv.FormatInt(one.App.ID, 10))
		if one.SHA == commit.SHA && app == strconv.FormatInt(one.App.ID, 10) && c.runNamed(one) {
			suites = append(suites, one)
		}
	}
	return counted(c, "check_suites", suites, func(one *hub.CheckSuite) any { return c.Render.Suite(c.repo, one) }), nil
}

// runNamed applies the filter check_name to a suite.
func (c *call) runNamed(one *hub.CheckSuite) bool {
	name := c.query("check_name", "")
	if name == "" {
		return true
	}
	for _, run := range c.repo.RunsOf(one) {
		if run.Name == name {
			return true
		}
	}
	return false
}

func (c *call) checkSuite() (*hub.CheckSuite, error) {
	id, err := c.id("check_suite_id")
	if err != nil {
		return nil, err
	}
	for _, one := range c.repo.Suites {
		if one.ID == id {
			return one, nil
		}
	}
	return nil, hub.NotFound()
}

func createSuite(c *call) (reply, error) {
	var in struct {
		HeadSHA string `json:"head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if _, found := c.repo.Seen().Resolve(in.HeadSHA); !found {
		return reply{}, hub.Invalid("No commit found for SHA: %s", in.HeadSHA)
	}
	before := len(c.repo.Suites)
	one := c.Checks.Suite(c.repo, c.Apps.Own, "", in.HeadSHA)
	if len(c.repo.Suites) == before {
		return ok(c.Render.Suite(c.repo, one)), nil
	}
	return created(c.Render.Suite(c.repo, one)), nil
}

func showSuite(c *call) (reply, error) {
	one, err := c.checkSuite()
	if err != nil {
		return reply{}, err
	}
	return ok(c.Render.Suite(c.repo, one)), nil
}

func listSuiteRuns(c *call) (reply, error) {
	one, err := c.checkSuite()
	if err != nil {
		return reply{}, err
	}
	all := c.repo.RunsOf(one)
	runs := c.chosenRuns(hub.LatestByName(all), all)
	return counted(c, "check_runs", runs, func(run *hub.CheckRun) any { return c.Render.RunRef(c.repo, run) }), nil
}

func rerequestSuite(c *call) (reply, error) {
	one, err := c.checkSuite()
	if err != nil {
		return reply{}, err
	}
	c.Checks.AskSuiteAgain(c.repo, one, c.who.Account)
	return created(obj{}), nil
}
