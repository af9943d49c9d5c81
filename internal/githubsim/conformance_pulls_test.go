package githubsim

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// open opens a pull request that changes deploy/dev.yaml and returns its number and path.
func (k *kit) open(head, content string) (int, string) {
	k.Helper()
	number, err := k.OpenPull(k.repo, PullSpec{
		Head: head, Author: "ann", Title: "Change " + head, Files: map[string]*string{"deploy/dev.yaml": Text(content)},
	})
	require.NoError(k, err)
	return number, fmt.Sprintf("/repos/acme/app/pulls/%d", number)
}

// docsMergeable is a page of GitHub's documentation.
const docsMergeable = "documented: rest/guides/using-the-rest-api-to-interact-with-your-git-database" +
	"#checking-mergeability-of-pull-requests"

func pullRows() []behaviour {
	return []behaviour{
		{"opens a pull request with 201", "documented: rest/pulls/pulls#create-a-pull-request", func(k *kit) {
			_, err := k.PushFiles(k.repo, "x", "ann", "one", map[string]*string{"one": Text("1")})
			require.NoError(k, err)
			status, pull := k.bot().send("POST", "/repos/acme/app/pulls",
				`{"title":"T","head":"acme:x","base":"main","body":"B"}`)
			require.Equal(k, 201, status)
			require.Equal(k, "open", pull["state"])
			require.Equal(k, "acme:x", dig(pull, "head", "label"))
			require.Equal(k, float64(1), pull["changed_files"])
		}},
		{"refuses a second one for the same branches: 422, code custom", "documented: rest/pulls/pulls#create-a-pull-request",
			func(k *kit) {
				k.open("x", "tag: v2\n")
				status, answer := k.bot().send("POST", "/repos/acme/app/pulls", `{"title":"T","head":"x","base":"main"}`)
				require.Equal(k, 422, status)
				require.Equal(k, "custom", dig(answer, "errors", 0, "code"))
				require.Equal(k, "A pull request already exists for acme:x.", dig(answer, "errors", 0, "message"))
			}},
		{"refuses one without commits: 422, No commits between main and x", "reported: cyberark/dev-flow#42", func(k *kit) {
			require.NoError(k, k.CreateBranch(k.repo, "x", "ann", "main"))
			status, answer := k.bot().send("POST", "/repos/acme/app/pulls", `{"title":"T","head":"x","base":"main"}`)
			require.Equal(k, 422, status)
			require.Equal(k, "No commits between main and x", dig(answer, "errors", 0, "message"))
		}},
		{"refuses a head or base that does not exist: 422, code invalid", "assumed, play no-branch", func(k *kit) {
			_, answer := k.bot().send("POST", "/repos/acme/app/pulls", `{"title":"T","head":"none","base":"main"}`)
			require.Equal(k, "head", dig(answer, "errors", 0, "field"))
			k.open("x", "tag: v2\n")
			_, answer = k.bot().send("POST", "/repos/acme/app/pulls", `{"title":"T","head":"x","base":"none"}`)
			require.Equal(k, "invalid", dig(answer, "errors", 0, "code"))
		}},
		{"knows mergeable only after a request: null first, then the value",
			docsMergeable,
			func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				bot := k.bot()
				_, first := bot.send("GET", path, "")
				require.Nil(k, first["mergeable"])
				require.Equal(k, "unknown", first["mergeable_state"])
				_, second := bot.send("GET", path, "")
				require.Equal(k, true, second["mergeable"])
				require.Equal(k, "clean", second["mergeable_state"])
				_, err := k.PushFiles(k.repo, "main", "bob", "move", map[string]*string{"other": Text("x")})
				require.NoError(k, err)
				_, third := bot.send("GET", path, "")
				require.Nil(k, third["mergeable"], "a new base makes it unknown again")
			}},
		{"may answer null for more requests, until its background job is done",
			docsMergeable,
			func(k *kit) {
				k.TestMergesLast(2)
				_, path := k.open("x", "tag: v2\n")
				bot := k.bot()
				for range 3 {
					_, pull := bot.send("GET", path, "")
					require.Nil(k, pull["mergeable"])
				}
				_, pull := bot.send("GET", path, "")
				require.Equal(k, true, pull["mergeable"])
			}},
		{"may list a new pull request a request later", "assumed, play lag", func(k *kit) {
			k.LagBehind(1)
			bot := k.bot()
			_, path := k.open("x", "tag: v2\n")
			bot.send("GET", path, "")
			_, open := bot.send("GET", "/repos/acme/app/pulls", "")
			require.Len(k, open["items"], 1)
			k.open("y", "tag: v3\n")
			_, open = bot.send("GET", "/repos/acme/app/pulls", "")
			require.Len(k, open["items"], 1)
			_, open = bot.send("GET", "/repos/acme/app/pulls", "")
			require.Len(k, open["items"], 2)
		}},
		{"may show a pull request as it was before a push, and refuse to merge the new head: 409", "assumed, play old-head",
			func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				k.LagBehind(1)
				bot := k.bot()
				_, before := bot.send("GET", path, "")
				k.clock.Advance(time.Second)
				head, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
				require.NoError(k, err)
				merge := fmt.Sprintf("/repos/acme/app/pulls/%d/merge", number)
				k.refused(bot, "PUT", merge, `{"sha":"`+head+`"}`, 409,
					"Head branch was modified. Review and try the merge again.")
				_, after := bot.send("GET", path, "")
				require.Equal(k, head, dig(after, "head", "sha"))
				require.NotEqual(k, before["updated_at"], after["updated_at"])
				status, _ := bot.send("PUT", merge, `{"sha":"`+head+`"}`)
				require.Equal(k, 200, status)
			}},
		{"says from which head a list of files was made, in the contents_url of each",
			"documented: rest/pulls/pulls#list-pull-requests-files", func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				bot := k.bot()
				_, pull := bot.send("GET", path, "")
				_, files := bot.send("GET", path+"/files", "")
				for _, one := range files["items"].([]any) {
					require.Contains(k, dig(one.(obj), "contents_url"), "?ref="+dig(pull, "head", "sha").(string))
				}
			}},
		{"may list the files of a pull request as they were before a push", "assumed", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			k.LagBehind(1)
			bot := k.bot()
			_, before := bot.send("GET", path+"/files", "")
			_, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
			require.NoError(k, err)
			_, stale := bot.send("GET", path+"/files", "")
			require.Equal(k, before["items"], stale["items"])
			_, after := bot.send("GET", path+"/files", "")
			require.Len(k, after["items"], len(before["items"].([]any))+1)
		}},
		{"merges no other commit than the one in the request, also where it still shows that as the head: 409",
			"documented: rest/pulls/pulls#merge-a-pull-request",
			func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				k.LagBehind(2)
				bot := k.bot()
				_, before := bot.send("GET", path, "")
				_, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
				require.NoError(k, err)
				old := dig(before, "head", "sha").(string)
				_, shown := bot.send("GET", path, "")
				require.Equal(k, old, dig(shown, "head", "sha"))
				k.refused(bot, "PUT", path+"/merge", `{"sha":"`+old+`"}`, 409,
					"Head branch was modified. Review and try the merge again.")
				view, _ := k.Pull(k.repo, number)
				require.Equal(k, "open", view.State)
			}},
		{"may date the answer to a merge seconds after it", "assumed, play merge-date", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			k.wire.AnswerLate(3 * time.Second)
			bot := k.bot()
			bot.send("PUT", path+"/merge", `{}`)
			date, err := http.ParseTime(bot.last.Header.Get("Date"))
			require.NoError(k, err)
			_, merged := bot.send("GET", path, "")
			at, err := time.Parse(time.RFC3339, merged["merged_at"].(string))
			require.NoError(k, err)
			require.Equal(k, 3*time.Second, date.Sub(at))
		}},
		{"shows the test merge as merge_commit_sha before the merge and the real one after it",
			"documented: rest/pulls/pulls#get-a-pull-request", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				bot := k.bot()
				bot.send("GET", path, "")
				_, open := bot.send("GET", path, "")
				require.NotNil(k, open["merge_commit_sha"])
				require.NotEqual(k, k.Head(k.repo, "main"), open["merge_commit_sha"])
				sha, err := k.MergePull(k.repo, number, "bob", "squash")
				require.NoError(k, err)
				_, merged := bot.send("GET", path, "")
				require.Equal(k, sha, merged["merge_commit_sha"])
				require.Equal(k, k.clock.Now().Format(time.RFC3339), merged["merged_at"])
				require.Equal(k, "bob", dig(merged, "merged_by", "login"))
			}},
		{"shows conflicts by mergeable false and dirty", "documented: rest/pulls/pulls#get-a-pull-request", func(k *kit) {
			k.diverge()
			number, err := k.OpenPull(k.repo, PullSpec{Head: "conflict", Author: "ann"})
			require.NoError(k, err)
			path := fmt.Sprintf("/repos/acme/app/pulls/%d", number)
			bot := k.bot()
			bot.send("GET", path, "")
			_, pull := bot.send("GET", path, "")
			require.Equal(k, false, pull["mergeable"])
			require.Equal(k, "dirty", pull["mergeable_state"])
		}},
		{"lists open ones by default, newest first, and filters by state, head and base",
			"documented: rest/pulls/pulls#list-pull-requests", func(k *kit) {
				one, _ := k.open("x", "tag: v2\n")
				two, _ := k.open("y", "tag: v3\n")
				require.NoError(k, k.ClosePull(k.repo, one, "ann"))
				bot := k.bot()
				_, open := bot.send("GET", "/repos/acme/app/pulls", "")
				require.Len(k, open["items"], 1)
				_, all := bot.send("GET", "/repos/acme/app/pulls?state=all", "")
				require.Equal(k, float64(two), dig(all, "items", 0, "number"))
				_, head := bot.send("GET", "/repos/acme/app/pulls?state=all&head=acme:x", "")
				require.Equal(k, float64(one), dig(head, "items", 0, "number"))
				_, none := bot.send("GET", "/repos/acme/app/pulls?base=other", "")
				require.Empty(k, none["items"])
			}},
		{"ignores the filter head when it names no owner", "reported: github/docs#16647", func(k *kit) {
			k.open("x", "tag: v2\n")
			_, pulls := k.bot().send("GET", "/repos/acme/app/pulls?head=whatever", "")
			require.Len(k, pulls["items"], 1)
		}},
		{"edits, closes and reopens", "documented: rest/pulls/pulls#update-a-pull-request", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			status, pull := bot.send("PATCH", path, `{"title":"New","body":"B","state":"closed"}`)
			require.Equal(k, 200, status)
			require.Equal(k, "closed", pull["state"])
			require.Equal(k, "New", pull["title"])
			_, pull = bot.send("PATCH", path, `{"state":"open"}`)
			require.Equal(k, "open", pull["state"])
			require.Equal(k, []string{
				"create", "push", "check_suite requested", "pull_request opened", "pull_request edited", "pull_request closed",
				"pull_request reopened",
			}, k.settle())
		}},
		{"closes a pull request whose branch is deleted and does not reopen it",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/managing-branches-in-your-repository",
			func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				require.NoError(k, k.DeleteBranch(k.repo, "x", "ann"))
				view, _ := k.Pull(k.repo, number)
				require.Equal(k, "closed", view.State)
				_, answer := k.bot().send("PATCH", path, `{"state":"open"}`)
				require.Equal(k, "state cannot be changed. The x branch was force-pushed or recreated.",
					dig(answer, "errors", 0, "message"))
			}},
		{"does not reopen after the branch was forced elsewhere", "reported: cilium/cilium#47088", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.ClosePull(k.repo, number, "ann"))
			_, err := k.ForcePush(k.repo, "x", "ann", "again", map[string]*string{"deploy/dev.yaml": Text("tag: v9\n")})
			require.NoError(k, err)
			status, answer := k.bot().send("PATCH", path, `{"state":"open"}`)
			require.Equal(k, 422, status)
			require.Equal(k, "state cannot be changed. The x branch was force-pushed or recreated.",
				dig(answer, "errors", 0, "message"))
		}},
		{"follows pushes to the head", "documented: webhooks/webhook-events-and-payloads#pull_request", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			k.settle()
			sha, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
			require.NoError(k, err)
			view, _ := k.Pull(k.repo, number)
			require.Equal(k, sha, view.HeadSHA)
			require.Equal(k, []string{"push", "check_suite requested", "pull_request synchronize"}, k.settle())
		}},
		{"counts a pull request as merged when its head was pushed to the base",
			"documented: pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/" +
				"about-pull-request-merges#indirect-merges", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				require.NoError(k, k.CreateBranch(k.repo, "main", "bob", "x"))
				view, _ := k.Pull(k.repo, number)
				require.Equal(k, "merged", view.State)
			}},
		{"lists commits and files", "documented: rest/pulls/pulls#list-pull-requests-files", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			_, files := bot.send("GET", path+"/files", "")
			require.Equal(k, "deploy/dev.yaml", dig(files, "items", 0, "filename"))
			require.Equal(k, "modified", dig(files, "items", 0, "status"))
			_, commits := bot.send("GET", path+"/commits", "")
			require.Equal(k, k.Head(k.repo, "x"), dig(commits, "items", 0, "sha"))
		}},
		{"finds the pull requests of a commit",
			"documented: rest/commits/commits#list-pull-requests-associated-with-a-commit", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				sha, err := k.MergePull(k.repo, number, "bob", "squash")
				require.NoError(k, err)
				_, pulls := k.bot().send("GET", "/repos/acme/app/commits/"+sha+"/pulls", "")
				require.Equal(k, float64(number), dig(pulls, "items", 0, "number"))
			}},
		{"brings a branch up to date with 202", "documented: rest/pulls/pulls#update-a-pull-request-branch", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			status, _ := bot.send("PUT", path+"/update-branch", `{"expected_head_sha":"`+strings.Repeat("0", 40)+`"}`)
			require.Equal(k, 422, status)
			_, err := k.PushFiles(k.repo, "main", "bob", "move", map[string]*string{"other": Text("x")})
			require.NoError(k, err)
			before := k.Head(k.repo, "x")
			status, _ = bot.send("PUT", path+"/update-branch", `{"expected_head_sha":"`+before+`"}`)
			require.Equal(k, 202, status)
			view, _ := k.Pull(k.repo, number)
			require.NotEqual(k, before, view.HeadSHA)
			_, found := k.File(k.repo, "x", "other")
			require.True(k, found)
		}},
		{"takes reviews, but no approval by the author", "reported: hubtty/hubtty#33", provesReviews},
		{"takes pull requests from forks, keeps them when the fork is deleted, and lists them in no check",
			"reported: github/rest-api-description#1811", func(k *kit) {
				number, err := k.OpenPull(k.repo, PullSpec{
					Author: "bob", Fork: true, Head: "x", Files: map[string]*string{"deploy/dev.yaml": Text("tag: v3\n")},
				})
				require.NoError(k, err)
				bot, path := k.bot(), fmt.Sprintf("/repos/acme/app/pulls/%d", number)
				_, pull := bot.send("GET", path, "")
				require.Equal(k, "bob:x", dig(pull, "head", "label"))
				require.Equal(k, true, dig(pull, "head", "repo", "fork"))
				require.Empty(k, k.Head(k.repo, "x"))
				_, run := bot.send("POST", "/repos/acme/app/check-runs", `{"name":"n","head_sha":"`+k.Head("bob/app", "x")+`"}`)
				require.Empty(k, run["pull_requests"])
				_, err = k.PushFiles("bob/app", "x", "bob", "more", map[string]*string{"more": Text("1")})
				require.NoError(k, err)
				require.Contains(k, k.settle(), "pull_request synchronize")
				require.NoError(k, k.DeleteRepo("bob/app"))
				_, pull = bot.send("GET", path, "")
				require.Nil(k, dig(pull, "head", "repo"))
				answer := k.graphql(`{ repository(owner: "acme", name: "app") { pullRequest(number: 1) { isCrossRepository `+
					`headRepository { name } headRef { name } } } }`, nil)
				require.Equal(k, true, dig(answer, "data", "repository", "pullRequest", "isCrossRepository"))
				status, _ := bot.send("PUT", path+"/merge", `{}`)
				require.Equal(k, 200, status)
			}},
		{"converts to draft and back, and retargets", "documented: webhooks/webhook-events-and-payloads#pull_request",
			func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				require.NoError(k, k.CreateBranch(k.repo, "other", "ann", "main"))
				k.settle()
				require.NoError(k, k.SetDraft(k.repo, number, "ann", true))
				require.NoError(k, k.SetDraft(k.repo, number, "ann", false))
				require.NoError(k, k.RetargetPull(k.repo, number, "ann", "other"))
				require.Equal(k, []string{
					"pull_request converted_to_draft", "pull_request ready_for_review", "pull_request edited",
				}, k.settle())
			}},
		{"asks people for reviews, but not the author", "reported: aergonaut/cody#433", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			status, _ := bot.send("POST", path+"/requested_reviewers", `{"reviewers":["bob"]}`)
			require.Equal(k, 201, status)
			_, asked := bot.send("GET", path+"/requested_reviewers", "")
			require.Equal(k, "bob", dig(asked, "users", 0, "login"))
			status, _ = bot.send("DELETE", path+"/requested_reviewers", `{"reviewers":["bob"]}`)
			require.Equal(k, 200, status)
			k.refused(bot, "POST", path+"/requested_reviewers", `{"reviewers":["ann"]}`, 422,
				"Review cannot be requested from pull request author.")
			require.NoError(k, k.CreateUser("stranger"))
			status, _ = bot.send("POST", path+"/requested_reviewers", `{"reviewers":["stranger"]}`)
			require.Equal(k, 422, status)
		}},
	}
}

func provesReviews(k *kit) {
	number, path := k.open("x", "tag: v2\n")
	bot := k.bot()
	status, review := k.as(k.UserToken("bob")).send("POST", path+"/reviews", `{"event":"APPROVE","body":"fine"}`)
	require.Equal(k, 200, status)
	require.Equal(k, "APPROVED", review["state"])
	status, answer := k.as(k.UserToken("ann")).send("POST", path+"/reviews", `{"event":"APPROVE"}`)
	require.Equal(k, 422, status)
	require.Equal(k, "Can not approve your own pull request", dig(answer, "errors", 0))
	_, reviews := bot.send("GET", path+"/reviews", "")
	require.Equal(k, "bob", dig(reviews, "items", 0, "user", "login"))
	one := fmt.Sprintf("%s/reviews/%.0f", path, review["id"])
	status, _ = bot.send("GET", one, "")
	require.Equal(k, 200, status)
	_, dismissed := bot.send("PUT", one+"/dismissals", `{"message":"stale"}`)
	require.Equal(k, "DISMISSED", dismissed["state"])
	require.NoError(k, k.Review(k.repo, number, "bob", "CHANGES_REQUESTED", "no"))
	require.Contains(k, k.settle(), "pull_request_review submitted")
}

func mergeRows() []behaviour {
	merge := func(k *kit, path, body string, status int, message string) {
		k.Helper()
		k.refused(k.bot(), "PUT", path+"/merge", body, status, message)
	}
	return []behaviour{
		{"merges with a merge commit of two parents",
			"documented: pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/" +
				"about-pull-request-merges", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				status, answer := k.bot().send("PUT", path+"/merge", `{"merge_method":"merge"}`)
				require.Equal(k, 200, status)
				require.Equal(k, "Pull Request successfully merged", answer["message"])
				_, commit := k.bot().send("GET", "/repos/acme/app/commits/"+answer["sha"].(string), "")
				require.Len(k, commit["parents"], 2)
				require.Equal(k, fmt.Sprintf("Merge pull request #%d from acme/x\n\nChange x", number),
					dig(commit, "commit", "message"))
			}},
		{"squashes into one commit of the author's with the number in its title",
			"documented: pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/" +
				"about-pull-request-merges", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				_, answer := k.bot().send("PUT", path+"/merge", `{"merge_method":"squash"}`)
				_, commit := k.bot().send("GET", "/repos/acme/app/commits/"+answer["sha"].(string), "")
				require.Len(k, commit["parents"], 1)
				require.Equal(k, fmt.Sprintf("Change x (#%d)", number), dig(commit, "commit", "message"))
				require.Equal(k, "ann", dig(commit, "author", "login"))
				require.Equal(k, "web-flow", dig(commit, "committer", "login"))
			}},
		{"rebases commit by commit",
			"documented: pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/" +
				"about-pull-request-merges", func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				_, err := k.PushFiles(k.repo, "x", "ann", "second", map[string]*string{"second": Text("2")})
				require.NoError(k, err)
				_, err = k.PushFiles(k.repo, "main", "bob", "move", map[string]*string{"other": Text("x")})
				require.NoError(k, err)
				before := k.Head(k.repo, "main")
				_, answer := k.bot().send("PUT", path+"/merge", `{"merge_method":"rebase"}`)
				_, compare := k.bot().send("GET", "/repos/acme/app/compare/"+before+"..."+answer["sha"].(string), "")
				require.Equal(k, float64(2), compare["ahead_by"])
				require.Equal(k, "second", dig(compare, "commits", 1, "commit", "message"))
			}},
		{"takes title and message of the commit from the request",
			"documented: rest/pulls/pulls#merge-a-pull-request", func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				_, answer := k.bot().send("PUT", path+"/merge", `{"merge_method":"squash","commit_title":"T","commit_message":"M"}`)
				_, commit := k.bot().send("GET", "/repos/acme/app/git/commits/"+answer["sha"].(string), "")
				require.Equal(k, "T\n\nM", commit["message"])
			}},
		{"refuses a head other than the one in the request: 409",
			"documented: rest/pulls/pulls#merge-a-pull-request", func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				merge(k, path, `{"sha":"`+strings.Repeat("0", 40)+`"}`, 409,
					"Head branch was modified. Review and try the merge again.")
			}},
		{"refuses a pull request that conflicts, is closed or is merged: 405",
			"documented: rest/pulls/pulls#merge-a-pull-request", func(k *kit) {
				k.diverge()
				number, err := k.OpenPull(k.repo, PullSpec{Head: "conflict", Author: "ann"})
				require.NoError(k, err)
				merge(k, fmt.Sprintf("/repos/acme/app/pulls/%d", number), `{}`, 405, "Pull Request is not mergeable")
				number, path := k.open("x", "tag: v2\n")
				_, err = k.MergePull(k.repo, number, "bob", "")
				require.NoError(k, err)
				merge(k, path, `{}`, 405, "Pull Request is not mergeable")
				number, path = k.open("y", "tag: v5\n")
				require.NoError(k, k.ClosePull(k.repo, number, "ann"))
				merge(k, path, `{}`, 405, "Pull Request is not mergeable")
			}},
		{"refuses a draft: 405", "reported: alexwlchan/auto_merge_my_pull_requests#1", func(k *kit) {
			number, err := k.OpenPull(k.repo, PullSpec{
				Head: "x", Author: "ann", Draft: true, Files: map[string]*string{"a": Text("b")},
			})
			require.NoError(k, err)
			merge(k, fmt.Sprintf("/repos/acme/app/pulls/%d", number), `{}`, 405, "Pull Request is still a draft")
		}},
		{"refuses methods that are switched off: 405", "assumed, play switched-off", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.SetSettings(k.repo, RepoSettings{NoMergeCommit: true, NoRebase: true}))
			merge(k, path, `{}`, 405, "Merge commits are not allowed on this repository.")
			merge(k, path, `{"merge_method":"rebase"}`, 405, "Rebase merges are not allowed on this repository.")
			require.NoError(k, k.SetSettings(k.repo, RepoSettings{NoSquash: true}))
			merge(k, path, `{"merge_method":"squash"}`, 405, "Squash merges are not allowed on this repository.")
		}},
		{
			"names the required check that is missing, running or failing: 405", "reported: pascalgn/automerge-action#41",
			provesRequiredChecks,
		},
		{"counts several missing checks instead of naming them: 405", "reported: akhilmhdh/contributors-readme-action#28",
			func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"a", "b"}}))
				merge(k, path, `{}`, 405, "2 of 2 required status checks are expected.")
			}},
		{"names the reviews that are missing: 405", "reported: Reviewable/Reviewable#561", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1}))
			merge(k, path, `{}`, 405, "At least 1 approving review is required by reviewers with write access.")
			require.NoError(k, k.Review(k.repo, number, "bob", "APPROVED", ""))
			status, _ := k.bot().send("PUT", path+"/merge", `{}`)
			require.Equal(k, 200, status)
		}},
		{"dismisses approvals on a push where the branch dismisses stale ones",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/" +
				"about-protected-branches", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1, DismissStale: true}))
				require.NoError(k, k.Review(k.repo, number, "bob", "APPROVED", ""))
				_, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text("1")})
				require.NoError(k, err)
				merge(k, path, `{}`, 405, "At least 1 approving review is required by reviewers with write access.")
			}},
		{"demands an up-to-date head where the branch does: 405", "assumed, play required-check", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.Protect(k.repo, "main", Protection{UpToDate: true}))
			_, err := k.PushFiles(k.repo, "main", "bob", "move", map[string]*string{"other": Text("x")})
			require.NoError(k, err)
			merge(k, path, `{}`, 405, "Head branch is out of date. Review and try the merge again.")
		}},
		{"refuses a direct merge where there is a merge queue: 405", "reported: pascalgn/automerge-action#235", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			require.NoError(k, k.Protect(k.repo, "main", Protection{MergeQueue: true}))
			merge(k, path, `{}`, 405, "Changes must be made through the merge queue")
		}},
		{"lets actors on the bypass list pass all these rules, and the merge queue",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/" +
				"creating-rulesets-for-a-repository", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				require.NoError(k, k.Protect(k.repo, "main",
					Protection{RequiredChecks: []string{"ci"}, MergeQueue: true, Bypass: []string{"bob"}}))
				k.pass("x", "success")
				require.NoError(k, k.Enqueue(k.repo, number, "ann"))
				merge(k, path, `{}`, 405, "Changes must be made through the merge queue")
				_, err := k.MergePull(k.repo, number, "ann", "")
				require.Error(k, err)
				_, err = k.MergePull(k.repo, number, "bob", "")
				require.NoError(k, err)
				view, _ := k.Pull(k.repo, number)
				require.False(k, view.Queued)
				require.Equal(k, "bob", view.MergedBy)
			}},
		{"says whether a pull request is merged: 204 or 404",
			"documented: rest/pulls/pulls#check-if-a-pull-request-has-been-merged", func(k *kit) {
				number, path := k.open("x", "tag: v2\n")
				k.refused(k.bot(), "GET", path+"/merge", "", 404, "Not Found")
				_, err := k.MergePull(k.repo, number, "bob", "")
				require.NoError(k, err)
				status, _ := k.bot().send("GET", path+"/merge", "")
				require.Equal(k, 204, status)
			}},
		{"deletes the head branch after a merge where that is switched on",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/" +
				"configuring-pull-request-merges/managing-the-automatic-deletion-of-branches", func(k *kit) {
				require.NoError(k, k.SetSettings(k.repo, RepoSettings{DeleteBranchOnMerge: true}))
				_, path := k.open("x", "tag: v2\n")
				k.bot().send("PUT", path+"/merge", `{}`)
				require.Empty(k, k.Head(k.repo, "x"))
			}},
		{"turns open pull requests to the new name of their base, and closes those from a branch that is renamed",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/" +
				"managing-branches-in-your-repository/renaming-a-branch", provesRenames},
		{"tells of a branch that is renamed as of a new one, and of the end of the old one",
			"reported: buildinternet/uploads#920",
			func(k *kit) {
				require.NoError(k, k.CreateBranch(k.repo, "live", "ann", "main"))
				require.NoError(k, k.Settle(k.Context()))
				k.hooks.takeAll()
				require.NoError(k, k.RenameBranch(k.repo, "live", "prod"))
				require.NoError(k, k.Settle(k.Context()))
				var told []string
				for _, h := range k.hooks.takeAll() {
					if h.event == "push" {
						told = append(told, fmt.Sprint(h.payload["ref"], " ", h.payload["created"], " ", h.payload["deleted"]))
					}
				}
				require.ElementsMatch(k, []string{"refs/heads/prod true false", "refs/heads/live false true"}, told)
			}},
		{"tells of another default branch with the one before it", "assumed", func(k *kit) {
			require.NoError(k, k.RenameBranch(k.repo, "main", "trunk"))
			require.NoError(k, k.Settle(k.Context()))
			for _, h := range k.hooks.takeAll() {
				if h.event == "repository" {
					require.Equal(k, "edited", h.payload["action"])
					require.Equal(k, "main", dig(h.payload, "changes", "default_branch", "from"))
					require.Equal(k, "trunk", dig(h.payload, "repository", "default_branch"))
					return
				}
			}
			require.Fail(k, "it tells nothing")
		}},
		{"gives other pull requests of the same base real conflicts",
			"documented: pull-requests/collaborating-with-pull-requests/addressing-merge-conflicts/about-merge-conflicts",
			func(k *kit) {
				one, _ := k.open("x", "tag: v2\n")
				_, path := k.open("y", "tag: v3\n")
				_, err := k.MergePull(k.repo, one, "bob", "squash")
				require.NoError(k, err)
				merge(k, path, `{"merge_method":"squash"}`, 405, "Pull Request is not mergeable")
			}},
	}
}

func provesRenames(k *kit) {
	into, _ := k.open("x", "tag: v2\n")
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1}))
	require.NoError(k, k.RenameBranch(k.repo, "main", "trunk"))
	p, _ := k.Pull(k.repo, into)
	require.Equal(k, "trunk open", p.BaseBranch+" "+p.State)
	require.Empty(k, k.Head(k.repo, "main"))
	_, shown := k.bot().send("GET", "/repos/"+k.repo+"/branches/trunk", "")
	require.Equal(k, true, shown["protected"])
	require.NoError(k, k.RenameBranch(k.repo, "x", "y"))
	p, _ = k.Pull(k.repo, into)
	require.Equal(k, "closed", p.State)
}

func provesRequiredChecks(k *kit) {
	_, path := k.open("x", "tag: v2\n")
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"build"}}))
	bot := k.bot()
	k.refused(bot, "PUT", path+"/merge", `{}`, 405, `Required status check "build" is expected.`)
	id, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "x", Status: "in_progress"})
	require.NoError(k, err)
	k.refused(bot, "PUT", path+"/merge", `{}`, 405, `Required status check "build" is in progress.`)
	bot.send("GET", path, "")
	_, blocked := bot.send("GET", path, "")
	require.Equal(k, "blocked", blocked["mergeable_state"])
	require.NoError(k, k.UpdateCheckRun(k.repo, id, CheckSpec{Conclusion: "failure"}))
	k.refused(bot, "PUT", path+"/merge", `{}`, 405, `Required status check "build" is failing.`)
	_, err = k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "x", Conclusion: "success"})
	require.NoError(k, err)
	status, _ := bot.send("PUT", path+"/merge", `{}`)
	require.Equal(k, 200, status)
}
