package githubsim

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
)

func issueRows() []behaviour {
	return []behaviour{
		{"shows a pull request as an issue too", "documented: rest/issues/issues", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			bot := k.bot()
			_, issue := bot.send("GET", fmt.Sprintf("/repos/acme/app/issues/%d", number), "")
			require.NotNil(k, issue["pull_request"])
			status, issue := bot.send("PATCH", fmt.Sprintf("/repos/acme/app/issues/%d", number),
				`{"labels":["a"],"state":"closed"}`)
			require.Equal(k, 200, status)
			require.Equal(k, "closed", issue["state"])
			require.Equal(k, "a", dig(issue, "labels", 0, "name"))
		}},
		{"opens and lists issues", "documented: rest/issues/issues#list-repository-issues", func(k *kit) {
			bot := k.bot()
			status, _ := bot.send("POST", "/repos/acme/app/issues", `{"title":"T","labels":["bug"]}`)
			require.Equal(k, 201, status)
			_, issues := bot.send("GET", "/repos/acme/app/issues?labels=bug", "")
			require.Len(k, issues["items"], 1)
		}},
		{"keeps one sequence of numbers for issues and pull requests", "documented: rest/issues/issues", func(k *kit) {
			issue, err := k.CreateIssue(k.repo, "ann", "T", "B")
			require.NoError(k, err)
			pull, _ := k.open("x", "tag: v2\n")
			require.Equal(k, issue+1, pull)
		}},
		{"writes, edits, lists and deletes comments, as the App", "documented: rest/issues/comments", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			bot := k.bot()
			path := fmt.Sprintf("/repos/acme/app/issues/%d/comments", number)
			status, comment := bot.send("POST", path, `{"body":"hello"}`)
			require.Equal(k, 201, status)
			require.Equal(k, "waybill[bot]", dig(comment, "user", "login"))
			require.Equal(k, "Bot", dig(comment, "user", "type"))
			require.Equal(k, "waybill", dig(comment, "performed_via_github_app", "slug"))
			one := fmt.Sprintf("/repos/acme/app/issues/comments/%.0f", comment["id"])
			_, comment = bot.send("PATCH", one, `{"body":"changed"}`)
			require.Equal(k, "changed", comment["body"])
			_, comments := bot.send("GET", path, "")
			require.Len(k, comments["items"], 1)
			_, comments = bot.send("GET", "/repos/acme/app/issues/comments", "")
			require.Len(k, comments["items"], 1)
			status, _ = bot.send("GET", one, "")
			require.Equal(k, 200, status)
			status, _ = bot.send("DELETE", one, "")
			require.Equal(k, 204, status)
			k.refused(bot, "GET", one, "", 404, "Not Found")
			got := k.settle()
			require.Equal(k, []string{"issue_comment created", "issue_comment edited", "issue_comment deleted"},
				got[len(got)-3:])
		}},
		{"refuses comments and labels on pull requests where the permission issues is missing",
			"reported: assembledhq/143#2165", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				require.NoError(k, k.Permit("issues", ""))
				for path, body := range map[string]string{"comments": `{"body":"x"}`, "labels": `{"labels":["x"]}`} {
					k.refused(k.bot(), "POST", fmt.Sprintf("/repos/acme/app/issues/%d/%s", number, path), body, 403,
						"Resource not accessible by integration")
				}
			}},
		{"takes no empty comment and none above 65536 characters: 422", "reported: jmikedupont2/ai-ticket#51", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			path := fmt.Sprintf("/repos/acme/app/issues/%d/comments", number)
			status, answer := k.bot().send("POST", path, `{"body":"`+strings.Repeat("x", 65537)+`"}`)
			require.Equal(k, 422, status)
			require.Equal(k, "Body is too long (maximum is 65536 characters)", dig(answer, "errors", 0, "message"))
			status, _ = k.bot().send("POST", path, `{"body":" "}`)
			require.Equal(k, 422, status)
		}},
		{"takes no comment of an App, nor of people who may not write, where the conversation is locked: 403",
			"reported: renovatebot/renovate#6215", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				require.NoError(k, k.LockPull(k.repo, number, "ann"))
				path := fmt.Sprintf("/repos/acme/app/issues/%d/comments", number)
				k.refused(k.bot(), "POST", path, `{"body":"x"}`, 403, "Unable to create comment because issue is locked.")
				_, err := k.Comment(k.repo, number, "ann", "mine")
				require.NoError(k, err)
			}},
		{"lists comments that changed since", "documented: rest/issues/comments#list-issue-comments", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			_, err := k.Comment(k.repo, number, "ann", "old")
			require.NoError(k, err)
			k.clock.Advance(60e9)
			_, err = k.Comment(k.repo, number, "ann", "new")
			require.NoError(k, err)
			_, comments := k.bot().send("GET", fmt.Sprintf("/repos/acme/app/issues/%d/comments?since=2026-03-02T09:00:30Z",
				number), "")
			require.Len(k, comments["items"], 1)
		}},
		{
			"adds labels in both forms, replaces, removes; an unknown one is a 404", "documented: rest/issues/labels",
			provesIssueLabels,
		},
		{"keeps labels of a repository: a second one of a name is a 422",
			"documented: rest/using-the-rest-api/troubleshooting-the-rest-api", func(k *kit) {
				bot := k.bot()
				status, _ := bot.send("POST", "/repos/acme/app/labels", `{"name":"stage/dev:ok","color":"0e8a16"}`)
				require.Equal(k, 201, status)
				_, answer := bot.send("POST", "/repos/acme/app/labels", `{"name":"Stage/dev:ok"}`)
				require.Equal(k, "already_exists", dig(answer, "errors", 0, "code"))
				_, label := bot.send("GET", "/repos/acme/app/labels/stage%2Fdev:ok", "")
				require.Equal(k, "0e8a16", label["color"])
				_, label = bot.send("PATCH", "/repos/acme/app/labels/stage%2Fdev:ok", `{"description":"d"}`)
				require.Equal(k, "d", label["description"])
				_, labels := bot.send("GET", "/repos/acme/app/labels", "")
				require.Len(k, labels["items"], 1)
				status, _ = bot.send("DELETE", "/repos/acme/app/labels/stage%2Fdev:ok", "")
				require.Equal(k, 204, status)
			}},
		{"takes a reaction with 201 and the same one again with 200",
			"documented: rest/reactions/reactions#create-reaction-for-an-issue-comment", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				id, err := k.Comment(k.repo, number, "ann", "/status")
				require.NoError(k, err)
				bot := k.bot()
				for _, path := range []string{
					fmt.Sprintf("/repos/acme/app/issues/comments/%d/reactions", id),
					fmt.Sprintf("/repos/acme/app/issues/%d/reactions", number),
				} {
					status, reaction := bot.send("POST", path, `{"content":"eyes"}`)
					require.Equal(k, 201, status)
					status, _ = bot.send("POST", path, `{"content":"eyes"}`)
					require.Equal(k, 200, status)
					_, reactions := bot.send("GET", path, "")
					require.Len(k, reactions["items"], 1)
					status, _ = bot.send("DELETE", fmt.Sprintf("%s/%.0f", path, reaction["id"]), "")
					require.Equal(k, 204, status)
				}
			}},
		{"assigns people and leaves out unknown logins", "documented: rest/issues/assignees", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			path := fmt.Sprintf("/repos/acme/app/issues/%d/assignees", number)
			status, issue := k.bot().send("POST", path, `{"assignees":["bob","nobody"]}`)
			require.Equal(k, 201, status)
			require.Len(k, issue["assignees"], 1)
			_, issue = k.bot().send("DELETE", path, `{"assignees":["bob"]}`)
			require.Empty(k, issue["assignees"])
		}},
		{"shows the permission as one of four, and the true role beside it",
			"documented: rest/collaborators/collaborators#get-repository-permissions-for-a-user", func(k *kit) {
				bot := k.bot()
				for level, folded := range map[string]string{
					"triage": "read", "maintain": "write", "admin": "admin", "none": "none",
				} {
					require.NoError(k, k.SetPermission(k.repo, "bob", level))
					_, answer := bot.send("GET", "/repos/acme/app/collaborators/bob/permission", "")
					require.Equal(k, folded, answer["permission"], level)
					require.Equal(k, level, answer["role_name"])
				}
				k.refused(bot, "GET", "/repos/acme/app/collaborators/nobody/permission", "", 404, "nobody is not a user")
			}},
		{"takes the highest of all grants",
			"documented: organizations/managing-user-access-to-your-organizations-repositories/" +
				"managing-repository-roles/repository-roles-for-an-organization", func(k *kit) {
				require.NoError(k, k.SetBasePermission("acme", "read"))
				require.NoError(k, k.CreateTeam("acme", "sre", map[string]string{"acme/app": "maintain"}, "bob"))
				_, answer := k.bot().send("GET", "/repos/acme/app/collaborators/bob/permission", "")
				require.Equal(k, "maintain", answer["role_name"])
				_, answer = k.bot().send("GET", "/repos/acme/app/collaborators/ann/permission", "")
				require.Equal(k, "read", answer["role_name"])
			}},
		{"shows a custom role by its name, and the permission that it is based on",
			"documented: rest/collaborators/collaborators#get-repository-permissions-for-a-user", func(k *kit) {
				require.NoError(k, k.SetCustomRole(k.repo, "bob", "release-manager", "write"))
				_, answer := k.bot().send("GET", "/repos/acme/app/collaborators/bob/permission", "")
				require.Equal(k, "write", answer["permission"])
				require.Equal(k, "release-manager", answer["role_name"])
			}},
		{"counts the members of child teams", "documented: rest/teams/members#get-team-membership-for-a-user", func(k *kit) {
			require.NoError(k, k.SetBasePermission("acme", "read"))
			require.NoError(k, k.CreateTeam("acme", "ops", map[string]string{"acme/app": "maintain"}))
			require.NoError(k, k.CreateTeam("acme", "sre", nil, "bob"))
			bot := k.bot()
			status, _ := bot.send("GET", "/orgs/acme/teams/ops/memberships/bob", "")
			require.Equal(k, 404, status)
			require.NoError(k, k.NestTeam("acme", "sre", "ops"))
			status, _ = bot.send("GET", "/orgs/acme/teams/ops/memberships/bob", "")
			require.Equal(k, 200, status)
			_, answer := bot.send("GET", "/repos/acme/app/collaborators/bob/permission", "")
			require.Equal(k, "maintain", answer["role_name"])
			_, team := bot.send("GET", "/orgs/acme/teams/sre", "")
			require.Equal(k, "ops", dig(team, "parent", "slug"))
			require.Equal(k, []string{"team edited"}, k.settle())
		}},
		{"knows people by their id when they are called otherwise", "documented: rest/users/users#get-a-user-using-their-id",
			func(k *kit) {
				_, bob := k.bot().send("GET", "/users/bob", "")
				byID := fmt.Sprintf("/user/%.0f", bob["id"])
				require.NoError(k, k.RenameUser("bob", "rob"))
				require.NoError(k, k.CreateUser("bob"))
				_, now := k.bot().send("GET", byID, "")
				require.Equal(k, "rob", now["login"])
				_, other := k.bot().send("GET", "/users/bob", "")
				require.NotEqual(k, bob["id"], other["id"])
				k.refused(k.bot(), "GET", "/user/1", "", 404, "Not Found")
			}},
		{"sends a webhook when a person leaves an organization",
			"documented: webhooks/webhook-events-and-payloads#organization",
			func(k *kit) {
				require.NoError(k, k.SetPermission(k.repo, "bob", "admin"))
				k.settle()
				require.NoError(k, k.RemoveMember("acme", "bob"))
				require.Equal(k, []string{"organization member_removed"}, k.settle())
				_, answer := k.bot().send("GET", "/repos/acme/app/collaborators/bob/permission", "")
				require.Equal(k, "none", answer["role_name"])
			}},
		{"lists collaborators", "documented: rest/collaborators/collaborators#list-repository-collaborators", func(k *kit) {
			require.NoError(k, k.CreateUser("stranger"))
			bot := k.bot()
			_, people := bot.send("GET", "/repos/acme/app/collaborators", "")
			require.Equal(k, "acme-owner", dig(people, "items", 0, "login"))
			require.Equal(k, "ann", dig(people, "items", 1, "login"))
			status, _ := bot.send("GET", "/repos/acme/app/collaborators/ann", "")
			require.Equal(k, 204, status)
			k.refused(bot, "GET", "/repos/acme/app/collaborators/stranger", "", 404, "Not Found")
		}},
		{"shows users, organizations, members and teams",
			"documented: rest/orgs/members#list-organization-members", provesPeople},
	}
}

func provesIssueLabels(k *kit) {
	number, _ := k.open("x", "tag: v2\n")
	k.settle()
	bot := k.bot()
	path := fmt.Sprintf("/repos/acme/app/issues/%d/labels", number)
	status, _ := bot.send("POST", path, `["a","b"]`)
	require.Equal(k, 200, status)
	_, labels := bot.send("POST", path, `{"labels":["b","c"]}`)
	require.Len(k, labels["items"], 3)
	_, labels = bot.send("GET", path, "")
	require.Len(k, labels["items"], 3)
	_, labels = bot.send("PUT", path, `{"labels":["c","d"]}`)
	require.Len(k, labels["items"], 2)
	_, labels = bot.send("DELETE", path+"/c", "")
	require.Len(k, labels["items"], 1)
	k.refused(bot, "DELETE", path+"/c", "", 404, "Label does not exist")
	status, _ = bot.send("DELETE", path, "")
	require.Equal(k, 204, status)
	view, _ := k.Pull(k.repo, number)
	require.Empty(k, view.Labels)
	require.Len(k, k.settle(), 8, "four labeled, four unlabeled")
}

func provesPeople(k *kit) {
	require.NoError(k, k.CreateTeam("acme", "sre", map[string]string{"acme/app": "admin"}, "bob"))
	bot := k.bot()
	for path, status := range map[string]int{
		"/users/ann": 200, "/orgs/acme": 200, "/orgs/acme/members/ann": 204, "/orgs/acme/memberships/ann": 200,
		"/orgs/acme/teams":     200,
		"/orgs/acme/teams/sre": 200, "/orgs/acme/teams/sre/members": 200, "/orgs/acme/teams/sre/memberships/bob": 200,
		"/orgs/acme/teams/sre/memberships/ann": 404, "/orgs/acme/members/nobody": 404, "/users/nobody": 404,
	} {
		got, answer := bot.send("GET", path, "")
		require.Equal(k, status, got, "%s: %v", path, answer)
	}
	require.NoError(k, k.SetTeamMember("acme", "sre", "bob", false))
	status, _ := bot.send("GET", "/orgs/acme/teams/sre/memberships/bob", "")
	require.Equal(k, 404, status)
	_, user := k.as(k.UserToken("ann")).send("GET", "/user", "")
	require.Equal(k, "ann", user["login"])
}
