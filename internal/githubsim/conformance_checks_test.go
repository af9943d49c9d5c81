package githubsim

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

func checkRows() []behaviour {
	return []behaviour{
		{"makes a check run queued, and completed by a conclusion",
			"documented: rest/checks/runs#create-a-check-run", func(k *kit) {
				bot := k.bot()
				status, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"external_id":"7"`))
				require.Equal(k, 201, status)
				require.Equal(k, "queued", run["status"])
				path := fmt.Sprintf("/repos/acme/app/check-runs/%.0f", run["id"])
				_, run = bot.send("PATCH", path, `{"conclusion":"neutral","status":"completed"}`)
				require.Equal(k, "completed", run["status"])
				require.NotNil(k, run["completed_at"])
				_, run = bot.send("GET", path, "")
				require.Equal(k, "7", run["external_id"])
				require.Equal(k, "waybill", dig(run, "app", "slug"))
			}},
		{"demands an existing commit: 422", "assumed, play check-of-nothing", func(k *kit) {
			sha := strings.Repeat("1", 40)
			k.refused(k.bot(), "POST", "/repos/acme/app/check-runs", `{"name":"x","head_sha":"`+sha+`"}`, 422,
				"No commit found for SHA: "+sha)
		}},
		{"lets only the App that made a check run change it: 403", "reported: OP5dev/TF-via-PR#538", func(k *kit) {
			id, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "main"})
			require.NoError(k, err)
			k.refused(k.bot(), "PATCH", fmt.Sprintf("/repos/acme/app/check-runs/%d", id),
				`{"conclusion":"success","status":"completed"}`, 403,
				"Invalid app_id `15368` - check run can only be modified by the GitHub App that created it.")
		}},
		{"lets only Apps make check runs: 403", "reported: EnricoMi/publish-unit-test-result-action#53", func(k *kit) {
			k.refused(k.as(k.UserToken("ann")), "POST", "/repos/acme/app/check-runs", k.runBody(""), 403,
				"You must authenticate via a GitHub App.")
		}},
		{"keeps one suite per App and commit, and a push makes it",
			"documented: rest/guides/using-the-rest-api-to-interact-with-checks", func(k *kit) {
				sha, err := k.PushFiles(k.repo, "x", "ann", "one", map[string]*string{"one": Text("1")})
				require.NoError(k, err)
				bot := k.bot()
				_, suites := bot.send("GET", "/repos/acme/app/commits/"+sha+"/check-suites", "")
				require.Equal(k, float64(1), suites["total_count"])
				require.Equal(k, "x", dig(suites, "check_suites", 0, "head_branch"))
				require.Equal(k, "queued", dig(suites, "check_suites", 0, "status"))
				for _, name := range []string{"a", "b"} {
					bot.send("POST", "/repos/acme/app/check-runs", `{"name":"`+name+`","head_sha":"`+sha+`"}`)
				}
				_, suites = bot.send("GET", "/repos/acme/app/commits/"+sha+"/check-suites", "")
				require.Equal(k, float64(1), suites["total_count"])
				status, suite := bot.send("POST", "/repos/acme/app/check-suites", `{"head_sha":"`+sha+`"}`)
				require.Equal(k, 200, status)
				path := fmt.Sprintf("/repos/acme/app/check-suites/%.0f", suite["id"])
				_, suite = bot.send("GET", path, "")
				require.Equal(k, "in_progress", suite["status"])
				_, runs := bot.send("GET", path+"/check-runs", "")
				require.Equal(k, float64(2), runs["total_count"])
				status, _ = bot.send("POST", path+"/rerequest", "")
				require.Equal(k, 201, status)
			}},
		{"makes a suite of each App that may write checks, of which some are never begun",
			"reported: nodejs/node-core-utils#1160", func(k *kit) {
				k.Behave(1, Noisy)
				head, err := k.PushFiles(k.repo, "x", "ann", "one", map[string]*string{"one": Text("1")})
				require.NoError(k, err)
				_, suites := k.bot().send("GET", "/repos/acme/app/commits/"+head+"/check-suites", "")
				var others []any
				for _, one := range suites["check_suites"].([]any) {
					if dig(one, "app", "slug") != "waybill" {
						others = append(others, dig(one, "status"), dig(one, "latest_check_runs_count"))
					}
				}
				require.Equal(k, []any{"queued", 0.0}, others)
			}},
		{"completes a suite when all its runs are, with the worst conclusion",
			"documented: rest/guides/using-the-rest-api-to-interact-with-checks", func(k *kit) {
				for name, conclusion := range map[string]string{"a": "success", "b": "failure", "c": "skipped"} {
					_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: name, SHA: "main", Suite: "ci", Conclusion: conclusion})
					require.NoError(k, err)
				}
				_, suites := k.bot().send("GET", "/repos/acme/app/commits/main/check-suites?app_id=15368", "")
				require.Equal(k, "completed", dig(suites, "check_suites", 0, "status"))
				require.Equal(k, "failure", dig(suites, "check_suites", 0, "conclusion"))
			}},
		{"lists the newest run of a name in a suite unless asked for all",
			"documented: rest/checks/runs#list-check-runs-for-a-git-reference", func(k *kit) {
				for _, conclusion := range []string{"failure", "success"} {
					_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "main", Suite: "ci", Conclusion: conclusion})
					require.NoError(k, err)
				}
				_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "main", Suite: "nightly", Conclusion: "failure"})
				require.NoError(k, err)
				bot := k.bot()
				_, latest := bot.send("GET", "/repos/acme/app/commits/main/check-runs?check_name=build", "")
				require.Equal(k, float64(2), latest["total_count"])
				_, all := bot.send("GET", "/repos/acme/app/commits/main/check-runs?filter=all", "")
				require.Equal(k, float64(3), all["total_count"])
			}},
		{"asks the App that made a run, and no other, to run again by rerequest",
			"documented: webhooks/webhook-events-and-payloads#check_run", func(k *kit) {
				bot := k.bot()
				_, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
				k.settle()
				status, _ := bot.send("POST", fmt.Sprintf("/repos/acme/app/check-runs/%.0f/rerequest", run["id"]), "")
				require.Equal(k, 201, status)
				require.Equal(k, []string{"check_run rerequested"}, k.settle())
				other, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "main", Conclusion: "success"})
				require.NoError(k, err)
				k.settle()
				require.NoError(k, k.Rerequest(k.repo, other, "ann"))
				require.Empty(k, k.settle(), "another App's run")
			}},
		{"asks the App that made the runs of a suite for all of them with one check_suite rerequested",
			"reported: mergewatch/mergewatch.ai#558", func(k *kit) {
				for _, name := range []string{"a", "b"} {
					k.bot().send("POST", "/repos/acme/app/check-runs",
						`{"name":"`+name+`","head_sha":"`+k.Head(k.repo, "main")+`","conclusion":"success","status":"completed"}`)
				}
				k.settle()
				require.NoError(k, k.RerequestSuite(k.repo, "main", "ann"))
				require.Equal(k, []string{"check_suite rerequested"}, k.settle())
			}},
		{"puts a suite back to queued when it or one of its runs is asked for again, and changes no run",
			"documented: rest/checks/runs#rerequest-a-check-run",
			provesAskingAgain},
		{"waits for a required check that was asked for again", "assumed, play required-check", func(k *kit) {
			bot := k.bot()
			_, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
			require.Equal(k, "SUCCESS", k.rollup())
			bot.send("POST", fmt.Sprintf("/repos/acme/app/check-runs/%.0f/rerequest", run["id"]), "")
			require.Equal(k, "PENDING", k.rollup())
		}},
		{"keeps the status and the conclusion of a run that is completed, but not its texts",
			"reported: taskcluster/taskcluster#5085", func(k *kit) {
				bot := k.bot()
				_, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
				path := fmt.Sprintf("/repos/acme/app/check-runs/%.0f", run["id"])
				for _, change := range []string{`"status":"in_progress"`, `"status":"completed","conclusion":"failure"`} {
					status, _ := bot.send("PATCH", path, `{`+change+`,"output":{"title":"news","summary":"s"}}`)
					require.Equal(k, 200, status)
					_, run = bot.send("GET", path, "")
					require.Equal(k, "completed", run["status"])
					require.Equal(k, "success", run["conclusion"])
					require.Equal(k, "news", dig(run, "output", "title"))
				}
			}},
		{"answers an update of a completed run as if it had been changed", "assumed, play completed-run", func(k *kit) {
			bot := k.bot()
			_, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
			_, run = bot.send("PATCH", fmt.Sprintf("/repos/acme/app/check-runs/%.0f", run["id"]), `{"status":"in_progress"}`)
			require.Equal(k, "in_progress", run["status"])
		}},
		{"sends two webhooks for a run that is created completed: created, completed",
			"assumed, play deliveries", func(k *kit) {
				k.bot().send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
				require.Equal(k, []string{"check_run created", "check_run completed", "check_suite completed"}, k.settle())
			}},
		{"keeps annotations", "documented: rest/checks/runs#list-check-run-annotations", func(k *kit) {
			bot := k.bot()
			_, run := bot.send("POST", "/repos/acme/app/check-runs",
				k.runBody(`"output":{"title":"t","summary":"s","annotations":[{"path":"a","start_line":1,"end_line":1,`+
					`"annotation_level":"failure","message":"m"}]}`))
			require.Equal(k, float64(1), dig(run, "output", "annotations_count"))
			_, annotations := bot.send("GET", fmt.Sprintf("/repos/acme/app/check-runs/%.0f/annotations", run["id"]), "")
			require.Equal(k, "m", dig(annotations, "items", 0, "message"))
		}},
		{"sends requested_action when a person presses a button of a completed run",
			"documented: rest/guides/using-the-rest-api-to-interact-with-checks", func(k *kit) {
				_, run := k.bot().send("POST", "/repos/acme/app/check-runs",
					k.runBody(`"conclusion":"neutral","status":"completed","actions":[{"label":"Go","description":"d",`+
						`"identifier":"go"}]`))
				k.settle()
				require.NoError(k, k.PressButton(k.repo, int64(run["id"].(float64)), "bob", "go"))
				require.Error(k, k.PressButton(k.repo, int64(run["id"].(float64)), "bob", "other"))
				require.NoError(k, k.Settle(k.Context()))
				got := k.hooks.takeAll()
				require.Len(k, got, 1)
				require.Equal(k, "go", dig(got[0].payload, "requested_action", "identifier"))
				require.Equal(k, "bob", dig(got[0].payload, "sender", "login"))
			}},
		{"sets statuses for actors with the right, lists the newest first, and combines them",
			"documented: rest/commits/statuses#list-commit-statuses-for-a-reference", func(k *kit) {
				head := k.Head(k.repo, "main")
				ann := k.as(k.UserToken("ann"))
				for _, state := range []string{"pending", "success"} {
					status, _ := ann.send("POST", "/repos/acme/app/statuses/"+head, `{"state":"`+state+`","context":"ci/x"}`)
					require.Equal(k, 201, status)
				}
				bot := k.bot()
				_, statuses := bot.send("GET", "/repos/acme/app/commits/main/statuses", "")
				require.Equal(k, "success", dig(statuses, "items", 0, "state"))
				require.Len(k, statuses["items"], 2)
				_, combined := bot.send("GET", "/repos/acme/app/commits/main/status", "")
				require.Equal(k, "success", combined["state"])
				require.Equal(k, float64(1), combined["total_count"])
				require.NoError(k, k.CreateStatus(k.repo, "main", "ann", "ci/y", "error", ""))
				_, combined = bot.send("GET", "/repos/acme/app/commits/main/status", "")
				require.Equal(k, "failure", combined["state"])
			}},
		{"calls a commit without statuses pending",
			"documented: rest/commits/statuses#get-the-combined-status-for-a-specific-reference", func(k *kit) {
				_, combined := k.bot().send("GET", "/repos/acme/app/commits/main/status", "")
				require.Equal(k, "pending", combined["state"])
			}},
		{"makes deployments and their statuses, newest first", "assumed, play deployments", provesDeployments},
		{"merges the default branch into a ref that is behind instead of deploying: 202",
			"documented: rest/deployments/deployments#create-a-deployment", func(k *kit) {
				k.diverge()
				before := k.Head(k.repo, "clean")
				status, answer := k.bot().send("POST", "/repos/acme/app/deployments", `{"ref":"clean"}`)
				require.Equal(k, 202, status)
				require.Equal(k, "Auto-merged main into clean on deployment.", answer["message"])
				require.NotEqual(k, before, k.Head(k.repo, "clean"))
				status, _ = k.bot().send("POST", "/repos/acme/app/deployments", `{"ref":"conflict"}`)
				require.Equal(k, 409, status)
			}},
		{"refuses to deploy a commit whose contexts have not all succeeded: 409",
			"reported: drevops/vortex#1903", func(k *kit) {
				require.NoError(k, k.CreateStatus(k.repo, "main", "ann", "ci/x", "pending", ""))
				bot := k.bot()
				status, answer := bot.send("POST", "/repos/acme/app/deployments", `{"ref":"main","auto_merge":false}`)
				require.Equal(k, 409, status)
				require.Equal(k, "Conflict: Commit status checks failed for main.", answer["message"])
				status, _ = bot.send("POST", "/repos/acme/app/deployments",
					`{"ref":"main","auto_merge":false,"required_contexts":[]}`)
				require.Equal(k, 201, status)
			}},
		{"makes earlier deployments of an environment inactive, but not production ones",
			"documented: rest/deployments/statuses#create-a-deployment-status", func(k *kit) {
				for _, environment := range []string{"dev", "dev", "production", "production"} {
					id, err := k.CreateDeployment(k.repo, "main", "ann", environment)
					require.NoError(k, err)
					require.NoError(k, k.CreateDeploymentStatus(k.repo, id, "ann", "success"))
				}
				var states []string
				for _, d := range k.Deployments(k.repo) {
					states = append(states, d.State)
				}
				require.Equal(k, []string{"inactive", "success", "success", "success"}, states)
			}},
		{"shows environments that were deployed to", "assumed, play deployments", func(k *kit) {
			_, err := k.CreateDeployment(k.repo, "main", "ann", "dev")
			require.NoError(k, err)
			_, environments := k.bot().send("GET", "/repos/acme/app/environments", "")
			require.Equal(k, float64(1), environments["total_count"])
			status, _ := k.bot().send("GET", "/repos/acme/app/environments/dev", "")
			require.Equal(k, 200, status)
			k.refused(k.bot(), "GET", "/repos/acme/app/environments/none", "", 404, "Not Found")
		}},
		{"lists the runs of workflows",
			"documented: rest/actions/workflow-runs#list-workflow-runs-for-a-repository", func(k *kit) {
				id, err := k.StartWorkflow(k.repo, "ci", "main", "push", "ann")
				require.NoError(k, err)
				_, runs := k.bot().send("GET", "/repos/acme/app/actions/runs?branch=main", "")
				require.Equal(k, float64(1), runs["total_count"])
				_, run := k.bot().send("GET", fmt.Sprintf("/repos/acme/app/actions/runs/%d", id), "")
				require.Equal(k, "push", run["event"])
			}},
		{"starts a workflow by hand, and names the run as run-name says",
			"documented: actions/reference/workflows-and-actions/workflow-syntax#run-name", func(k *kit) {
				k.workflows(map[string]string{".github/workflows/deploy.yml": "name: Deploy\nrun-name: to ${{ inputs.stage " +
					"}}\non: {workflow_dispatch: {inputs: {stage: {required: true}}}}\n"})
				const path = "/repos/acme/app/actions/workflows/deploy.yml/"
				status, _ := k.bot().send("POST", path+"dispatches", `{"ref":"main","inputs":{"stage":"dev"}}`)
				require.Equal(k, 204, status)
				require.Contains(k, k.settle(), "workflow_run requested")
				_, runs := k.bot().send("GET", path+"runs?event=workflow_dispatch", "")
				require.Equal(k, "to dev", dig(runs, "workflow_runs", 0, "display_title"))
				_, details := k.bot().send("POST", path+"dispatches",
					`{"ref":"main","inputs":{"stage":"qa"},"return_run_details":true}`)
				require.NotZero(k, details["workflow_run_id"])
			}},
		{"starts no workflow without workflow_dispatch: 404 and 422", "assumed, play no-workflow", func(k *kit) {
			k.workflows(map[string]string{
				".github/workflows/ci.yml":     "on: push\n",
				".github/workflows/deploy.yml": "on: {workflow_dispatch: {inputs: {stage: {required: true}}}}\n",
			})
			refused := func(file, body string, status int, why string) {
				k.refused(k.bot(), "POST", "/repos/acme/app/actions/workflows/"+file+"/dispatches", body, status, why)
			}
			refused("none.yml", `{"ref":"main"}`, 404, "Not Found")
			refused("ci.yml", `{"ref":"main"}`, 422, "Workflow does not have 'workflow_dispatch' trigger")
			refused("deploy.yml", `{"ref":"none","inputs":{"stage":"x"}}`, 422, "No ref found for: none")
			refused("deploy.yml", `{"ref":"main"}`, 422, "Required input 'stage' not provided")
			refused("deploy.yml", `{"ref":"main","inputs":{"stage":"x","y":"z"}}`, 422, `Unexpected inputs provided: ["y"]`)
		}},
		{
			"makes a job wait before an environment until the App has answered, and takes its reports",
			"documented: rest/actions/workflow-runs#review-custom-deployment-protection-rules-for-a-workflow-run",
			provesDeploymentRules,
		},
		{"refuses a second answer for a job: 422", "assumed", func(k *kit) {
			path := k.waits()
			k.bot().send("POST", path, `{"environment_name":"prod","state":"rejected","comment":"no"}`)
			k.refused(k.bot(), "POST", path, `{"environment_name":"prod","state":"approved","comment":"yes"}`, 422,
				"The deployment has already been reviewed.")
		}},
		{"takes ten reports of 1,024 characters",
			"documented: actions/how-tos/deploy/configure-and-manage-deployments/create-custom-protection-rules", func(k *kit) {
				path := k.waits()
				report := func(text string) string { return `{"environment_name":"prod","comment":"` + text + `"}` }
				status, _ := k.bot().send("POST", path, report(strings.Repeat("x", 1025)))
				require.Equal(k, 422, status)
				for range 10 {
					status, _ = k.bot().send("POST", path, report(strings.Repeat("x", 1024)))
					require.Equal(k, 204, status)
				}
				status, _ = k.bot().send("POST", path, report("once more"))
				require.Equal(k, 422, status)
			}},
	}
}

// workflows pushes files of workflows.
func (k *kit) workflows(files map[string]string) {
	all := map[string]*string{}
	for path, text := range files {
		all[path] = &text
	}
	_, err := k.PushFiles(k.repo, "main", "ann", "Workflows", all)
	require.NoError(k, err)
	k.settle()
}

// waits makes a job wait before prod, and returns the address for the answer.
func (k *kit) waits() string {
	id, err := k.StartWorkflow(k.repo, "deploy", "main", "push", "ann")
	require.NoError(k, err)
	require.NoError(k, k.AskToDeploy(k.repo, id, "prod"))
	k.settle()
	return fmt.Sprintf("/repos/acme/app/actions/runs/%d/deployment_protection_rule", id)
}

func provesDeploymentRules(k *kit) {
	id, err := k.StartWorkflow(k.repo, "deploy", "main", "push", "ann")
	require.NoError(k, err)
	k.settle()
	require.NoError(k, k.AskToDeploy(k.repo, id, "prod"))
	require.Equal(k, []string{"deployment_protection_rule requested"}, k.settle())
	path := fmt.Sprintf("/repos/acme/app/actions/runs/%d/deployment_protection_rule", id)
	status, _ := k.bot().send("POST", path, `{"environment_name":"prod","comment":"wait"}`)
	require.Equal(k, 204, status)
	require.Equal(k, DeploymentRule{Reports: []string{"wait"}}, k.DeploymentRule(k.repo, id, "prod"))
	status, _ = k.bot().send("POST", path, `{"environment_name":"prod","state":"approved","comment":"go"}`)
	require.Equal(k, 204, status)
	require.Equal(k, DeploymentRule{State: "approved", Reports: []string{"wait", "go"}},
		k.DeploymentRule(k.repo, id, "prod"))
	k.refused(k.bot(), "POST", path, `{"environment_name":"dev","state":"approved","comment":""}`, 404, "Not Found")
}

func provesAskingAgain(k *kit) {
	bot := k.bot()
	_, run := bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
	path := fmt.Sprintf("/repos/acme/app/check-runs/%.0f", run["id"])
	suite := fmt.Sprintf("/repos/acme/app/check-suites/%.0f", dig(run, "check_suite", "id"))
	for _, asked := range []string{path, suite} {
		_, before := bot.send("GET", suite, "")
		require.Equal(k, "completed", before["status"])
		status, _ := bot.send("POST", asked+"/rerequest", "")
		require.Equal(k, 201, status)
		_, seen := bot.send("GET", suite, "")
		require.Equal(k, "queued", seen["status"])
		require.Nil(k, seen["conclusion"])
		_, run = bot.send("GET", path, "")
		require.Equal(k, "success", run["conclusion"])
		bot.send("POST", "/repos/acme/app/check-runs", k.runBody(`"conclusion":"success","status":"completed"`))
	}
	_, seen := bot.send("GET", suite, "")
	require.Equal(k, "completed", seen["status"], "a new run of the name takes its place")
}

// rollup returns the state of everything that reports on the head of main.
func (k *kit) rollup() string {
	answer := k.graphql(`query($repo: ID!) { node(id: $repo) { ... on Repository { object(expression: "main") {
		... on Commit { statusCheckRollup { state } } } } } }`, map[string]any{"repo": k.repoID()})
	return fmt.Sprint(dig(answer, "data", "node", "object", "statusCheckRollup", "state"))
}

// runBody returns the body of a check run on main with more fields.
func (k *kit) runBody(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"name":"waybill / dev","head_sha":"` + k.Head(k.repo, "main") + `"` + more + `}`
}

func provesDeployments(k *kit) {
	bot := k.bot()
	status, made := bot.send("POST", "/repos/acme/app/deployments",
		`{"ref":"`+k.Head(k.repo,
			"main")+`","environment":"dev","auto_merge":false,"required_contexts":[],"payload":{"promotion":7}}`)
	require.Equal(k, 201, status)
	path := fmt.Sprintf("/repos/acme/app/deployments/%.0f", made["id"])
	_, shown := bot.send("GET", path, "")
	require.Equal(k, float64(7), dig(shown, "payload", "promotion"))
	for _, state := range []string{"in_progress", "success"} {
		status, _ = bot.send("POST", path+"/statuses", `{"state":"`+state+`","environment_url":"https://dev.example.com"}`)
		require.Equal(k, 201, status)
	}
	_, statuses := bot.send("GET", path+"/statuses", "")
	require.Equal(k, "success", dig(statuses, "items", 0, "state"))
	status, _ = bot.send("GET", fmt.Sprintf("%s/statuses/%.0f", path, dig(statuses, "items", 1, "id")), "")
	require.Equal(k, 200, status)
	_, listed := bot.send("GET", "/repos/acme/app/deployments?environment=dev", "")
	require.Len(k, listed["items"], 1)
	status, _ = bot.send("DELETE", path, "")
	require.Equal(k, 204, status)
	require.Equal(k, []string{"deployment created", "deployment_status created", "deployment_status created"}, k.settle())
}
