package githubsim

import (
	"net/http"
	"strconv"
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
	if c.who.app == nil {
		return reply{}, refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var in runChange
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	run, err := c.Checks.Create(c.repo, c.who.app, in)
	if err != nil {
		return reply{}, err
	}
	return created(c.Render.RunRef(c.repo, run)), nil
}

func (c *call) run() (*checkRun, error) {
	id, err := c.id("check_run_id")
	if err != nil {
		return nil, err
	}
	return c.repo.run(id)
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
	if c.who.app == nil {
		return reply{}, refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var in runChange
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.Checks.Update(c.repo, run, c.who.app, in); err != nil {
		return reply{}, err
	}
	return ok(c.Render.RunRef(c.repo, run)), nil
}

func listAnnotations(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	return list(c, run.annotations, func(a obj) any { return a }), nil
}

func rerequestCheckRun(c *call) (reply, error) {
	run, err := c.run()
	if err != nil {
		return reply{}, err
	}
	if run.status != "completed" {
		return reply{}, invalid("This check run is not rerequestable")
	}
	c.Checks.AskAgain(c.repo, run, c.who.account)
	return created(obj{}), nil
}

// chosenRuns applies the filters that the list endpoints share.
func (c *call) chosenRuns(latest, all []*checkRun) []*checkRun {
	runs := latest
	if c.query("filter", "latest") == "all" {
		runs = all
	}
	var chosen []*checkRun
	for _, run := range runs {
		name, status, app := c.query("check_name", run.name), c.query("status", run.status), c.query("app_id", strconv.FormatInt(run.suite.app.id, 10))
		if name == run.name && status == run.status && app == strconv.FormatInt(run.suite.app.id, 10) {
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
	runs := c.chosenRuns(c.repo.latestRuns(commit.SHA), c.repo.allRuns(commit.SHA))
	return counted(c, "check_runs", runs, func(run *checkRun) any { return c.Render.RunRef(c.repo, run) }), nil
}

func listCommitSuites(c *call) (reply, error) {
	commit, err := c.commit("ref")
	if err != nil {
		return reply{}, err
	}
	var suites []*checkSuite
	for _, one := range c.repo.suites {
		app := c.query("app_id", strconv.FormatInt(one.app.id, 10))
		if one.sha == commit.SHA && app == strconv.FormatInt(one.app.id, 10) && c.runNamed(one) {
			suites = append(suites, one)
		}
	}
	return counted(c, "check_suites", suites, func(one *checkSuite) any { return c.Render.Suite(c.repo, one) }), nil
}

// runNamed applies the filter check_name to a suite.
func (c *call) runNamed(one *checkSuite) bool {
	name := c.query("check_name", "")
	if name == "" {
		return true
	}
	for _, run := range c.repo.runsOf(one) {
		if run.name == name {
			return true
		}
	}
	return false
}

func (c *call) checkSuite() (*checkSuite, error) {
	id, err := c.id("check_suite_id")
	if err != nil {
		return nil, err
	}
	for _, one := range c.repo.suites {
		if one.id == id {
			return one, nil
		}
	}
	return nil, notFound()
}

func createSuite(c *call) (reply, error) {
	var in struct {
		HeadSHA string `json:"head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if _, found := c.repo.git.Resolve(in.HeadSHA); !found {
		return reply{}, invalid("No commit found for SHA: %s", in.HeadSHA)
	}
	before := len(c.repo.suites)
	one := c.Checks.Suite(c.repo, c.Apps.Own, "", in.HeadSHA)
	if len(c.repo.suites) == before {
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
	all := c.repo.runsOf(one)
	runs := c.chosenRuns(latestByName(all), all)
	return counted(c, "check_runs", runs, func(run *checkRun) any { return c.Render.RunRef(c.repo, run) }), nil
}

func rerequestSuite(c *call) (reply, error) {
	one, err := c.checkSuite()
	if err != nil {
		return reply{}, err
	}
	c.Checks.AskSuiteAgain(c.repo, one, c.who.account)
	return created(obj{}), nil
}
