package githubsim

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// numbered has comments written, and returns the texts and GUIDs of their webhooks in the order in which they came.
func (k *kit) numbered(n int) (texts, guids []string) {
	k.Helper()
	issue, err := k.CreateIssue(k.repo, "ann", "T", "")
	require.NoError(k, err)
	k.HoldWebhooks()
	for i := range n {
		_, err := k.Comment(k.repo, issue, "ann", string(rune('a'+i)))
		require.NoError(k, err)
	}
	k.ReleaseWebhooks()
	require.NoError(k, k.Settle(k.Context()))
	for _, h := range k.hooks.takeAll() {
		if text, is := dig(h.payload, "comment", "body").(string); is {
			texts, guids = append(texts, text), append(guids, h.guid)
		}
	}
	return texts, guids
}

func webhookRows() []behaviour {
	return []behaviour{
		{"may send webhooks in another order than that of the events",
			"documented: webhooks/testing-and-troubleshooting-webhooks/troubleshooting-webhooks", func(k *kit) {
				k.Disturb(1, true, 0)
				texts, _ := k.numbered(12)
				require.Len(k, texts, 12)
				require.False(k, slices.IsSorted(texts), "%v", texts)
			}},
		{"may tell of an event twice, under two GUIDs", "assumed", func(k *kit) {
			k.Disturb(1, false, 1)
			texts, guids := k.numbered(2)
			require.Equal(k, []string{"a", "a", "b", "b"}, texts)
			require.NotEqual(k, guids[0], guids[1])
		}},
		{"sends no event that the owner of the App has not ticked, whatever its permissions",
			"documented: apps/creating-github-apps/registering-a-github-app/using-webhooks-with-github-apps", func(k *kit) {
				require.NoError(k, k.Subscribe("pull_request", false))
				k.open("x", "tag: v2\n")
				require.NotContains(k, k.settle(), "pull_request opened")
				require.True(k, k.Grants("pull_requests", "write"))
				require.NoError(k, k.Subscribe("pull_request", true))
				k.open("y", "tag: v2\n")
				require.Contains(k, k.settle(), "pull_request opened")
			}},
		{"names host and version in the headers of an Enterprise Server's webhooks",
			docsServer + "webhooks/webhook-events-and-payloads", func(k *kit) {
				k.BeEnterprise("3.16.0")
				k.open("x", "tag: v2\n")
				require.NoError(k, k.Settle(k.Context()))
				hook := k.hooks.takeAll()[0]
				require.Equal(k, strings.TrimPrefix(k.URL(), "http://"), hook.header.Get("X-GitHub-Enterprise-Host"))
				require.Equal(k, "3.16.0", hook.header.Get("X-GitHub-Enterprise-Version"))
			}},
		{"signs the body with SHA-256, and with SHA-1 for old receivers",
			"documented: webhooks/using-webhooks/validating-webhook-deliveries", func(k *kit) {
				k.open("x", "tag: v2\n")
				require.NoError(k, k.Settle(k.Context()))
				for _, h := range k.hooks.takeAll() {
					mac := hmac.New(sha256.New, []byte(k.WebhookSecret()))
					mac.Write(h.body)
					require.Equal(k, "sha256="+hex.EncodeToString(mac.Sum(nil)), h.header.Get("X-Hub-Signature-256"))
					old := hmac.New(sha1.New, []byte(k.WebhookSecret()))
					old.Write(h.body)
					require.Equal(k, "sha1="+hex.EncodeToString(old.Sum(nil)), h.header.Get("X-Hub-Signature"))
				}
			}},
		{"sends event, GUID, hook, target and user agent in headers",
			"documented: webhooks/webhook-events-and-payloads#delivery-headers", func(k *kit) {
				k.open("x", "tag: v2\n")
				require.NoError(k, k.Settle(k.Context()))
				h := k.hooks.takeAll()[0]
				require.Regexp(k, regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`), h.guid)
				require.Equal(k, strconv.FormatInt(k.AppID(), 10), h.header.Get("X-GitHub-Hook-Installation-Target-ID"))
				require.Equal(k, "integration", h.header.Get("X-GitHub-Hook-Installation-Target-Type"))
				require.NotEmpty(k, h.header.Get("X-GitHub-Hook-ID"))
				require.Regexp(k, "^GitHub-Hookshot/", h.header.Get("User-Agent"))
				require.Equal(k, float64(k.install), dig(h.payload, "installation", "id"))
			}},
		{
			"never retries; lists failed deliveries and sends them again under the same GUID when asked",
			"documented: webhooks/using-webhooks/handling-failed-webhook-deliveries", provesRedelivery,
		},
		{"lists deliveries by cursor and filters by status",
			"documented: rest/apps/webhooks#list-deliveries-for-an-app-webhook", func(k *kit) {
				k.open("x", "tag: v2\n")
				k.settle()
				app := k.as("app")
				_, page := app.send("GET", "/app/hook/deliveries?per_page=2", "")
				require.Len(k, page["items"], 2)
				require.Contains(k, app.last.Header.Get("Link"), "cursor=")
				_, failed := app.send("GET", "/app/hook/deliveries?status=failure", "")
				require.Empty(k, failed["items"])
			}},
		{"forgets deliveries after three days",
			"documented: webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks",
			func(k *kit) {
				k.open("x", "tag: v2\n")
				k.settle()
				k.clock.Advance(73 * time.Hour)
				_, page := k.as("app").send("GET", "/app/hook/deliveries", "")
				require.Empty(k, page["items"])
			}},
		{"takes 200 to 399 for success and 400 to 599 for failure",
			"documented: rest/apps/webhooks#list-deliveries-for-an-app-webhook", func(k *kit) {
				k.FailWebhooks(1, 302)
				_, err := k.PushFiles(k.repo, "main", "ann", "m", map[string]*string{"a": Text("b")})
				require.NoError(k, err)
				require.Error(k, k.Settle(k.Context()))
				for filter, listed := range map[string]bool{"success": true, "failure": false} {
					_, page := k.as("app").send("GET", "/app/hook/deliveries?status="+filter, "")
					require.Equal(k, listed, strings.Contains(fmt.Sprint(page["items"]), "302"))
				}
			}},
		{"sends nothing again that it has forgotten: 404 Not Found", "assumed, play deliveries", func(k *kit) {
			k.open("x", "tag: v2\n")
			k.settle()
			app := k.as("app")
			_, page := app.send("GET", "/app/hook/deliveries", "")
			path := fmt.Sprintf("/app/hook/deliveries/%.0f", dig(page, "items", 0, "id"))
			k.clock.Advance(73 * time.Hour)
			for method, at := range map[string]string{"GET": path, "POST": path + "/attempts"} {
				status, _ := app.send(method, at, "")
				require.Equal(k, 404, status)
			}
		}},
		{"names repository and installation of a delivery",
			"documented: rest/apps/webhooks#list-deliveries-for-an-app-webhook", func(k *kit) {
				k.open("x", "tag: v2\n")
				k.settle()
				_, page := k.as("app").send("GET", "/app/hook/deliveries", "")
				require.NotZero(k, dig(page, "items", 0, "repository_id"))
				require.NotZero(k, dig(page, "items", 0, "installation_id"))
			}},
		{"sends webhooks about rights in a repository, and about teams",
			"documented: webhooks/webhook-events-and-payloads#member",
			func(k *kit) {
				require.NoError(k, k.SetPermission(k.repo, "bob", "read"))
				require.NoError(k, k.SetPermission(k.repo, "bob", "admin"))
				require.NoError(k, k.SetPermission(k.repo, "bob", "none"))
				require.NoError(k, k.CreateTeam("acme", "sre", nil))
				require.NoError(k, k.SetTeamMember("acme", "sre", "bob", true))
				require.NoError(k, k.SetTeamMember("acme", "sre", "bob", false))
				require.Equal(k, []string{
					"member added", "member edited", "member removed", "membership added", "membership removed",
				}, k.settle())
			}},
		{"moves the hook when its configuration changes",
			"documented: rest/apps/webhooks#update-a-webhook-configuration-for-an-app", func(k *kit) {
				status, config := k.as("app").send("PATCH", "/app/hook/config", `{"url":"http://127.0.0.1:1/none"}`)
				require.Equal(k, 200, status)
				require.Equal(k, "http://127.0.0.1:1/none", config["url"])
				_, config = k.as("app").send("GET", "/app/hook/config", "")
				require.Equal(k, "json", config["content_type"])
				k.open("x", "tag: v2\n")
				require.ErrorContains(k, k.Settle(k.Context()), "failed to connect to host")
			}},
		{"sends the App webhooks about its own actions",
			"documented: apps/creating-github-apps/registering-a-github-app/using-webhooks-with-github-apps", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				k.settle()
				k.bot().send("POST", fmt.Sprintf("/repos/acme/app/issues/%d/comments", number), `{"body":"hi"}`)
				require.NoError(k, k.Settle(k.Context()))
				got := k.hooks.takeAll()
				require.Equal(k, "waybill[bot]", dig(got[0].payload, "sender", "login"))
			}},
		{"sends no webhooks about repositories where the App is not installed",
			"documented: apps/creating-github-apps/registering-a-github-app/using-webhooks-with-github-apps", func(k *kit) {
				require.NoError(k, k.CreateRepo("other/repo", nil))
				_, err := k.PushFiles("other/repo", "main", "ann", "m", map[string]*string{"a": Text("b")})
				require.NoError(k, err)
				require.Empty(k, k.settle())
			}},
		{"sends push with the commits, their files and who pushed", "documented: webhooks/webhook-events-and-payloads#push",
			func(k *kit) {
				before := k.Head(k.repo, "main")
				sha, err := k.PushFiles(k.repo, "main", "ann", "msg",
					map[string]*string{"deploy/dev.yaml": Text("tag: v2\n"), "new": Text("n"), "README.md": nil})
				require.NoError(k, err)
				require.NoError(k, k.Settle(k.Context()))
				push := k.hooks.takeAll()[0].payload
				require.Equal(k, before, push["before"])
				require.Equal(k, sha, push["after"])
				require.Equal(k, "refs/heads/main", push["ref"])
				require.Equal(k, []any{"deploy/dev.yaml"}, dig(push, "commits", 0, "modified"))
				require.Equal(k, []any{"new"}, dig(push, "commits", 0, "added"))
				require.Equal(k, []any{"README.md"}, dig(push, "head_commit", "removed"))
				require.Equal(k, "ann", dig(push, "pusher", "name"))
			}},
		{
			"sends webhooks about installations, their repositories, and changes of repositories",
			"documented: webhooks/webhook-events-and-payloads#installation", provesInstallationEvents,
		},
		{"sends webhooks about releases and tags", "documented: webhooks/webhook-events-and-payloads#release", func(k *kit) {
			require.NoError(k, k.PublishRelease(k.repo, "ann", "v1", false))
			require.Equal(k, []string{"create", "push", "release created", "release published", "release released"}, k.settle())
		}},
		{"sends Apps webhooks about container images as registry_package and not as package, for each tag, and for each " +
			"part without one", "reported: google/go-github#3544", func(k *kit) {
			label := map[string]string{"org.opencontainers.image.revision": "abc"}
			require.NoError(k, k.PushImage(k.repo, "ann",
				ImageSpec{
					Name: "app", Tags: []string{"v1", "main"}, Digest: "sha256:ab", Parts: []string{"sha256:cd"}, Labels: label,
				}))
			require.NoError(k, k.Settle(k.Context()))
			var told []any
			for _, hook := range k.hooks.takeAll() {
				version := dig(hook.payload, hook.event, "package_version")
				require.Equal(k, "abc", dig(version, "container_metadata", "labels", "all_labels",
					"org.opencontainers.image.revision"))
				told = append(told, []any{hook.event, dig(version, "version"), dig(version, "container_metadata", "tag", "name")})
			}
			require.Equal(k, []any{
				[]any{"registry_package", "sha256:cd", ""}, []any{"registry_package", "sha256:ab", "v1"},
				[]any{"registry_package", "sha256:ab", "main"},
			}, told)
		}},
		{"lists the versions of public images with their tags, newest first, and shows private ones to no App",
			"reported: mindersec/minder#3283", func(k *kit) {
				versions := func(kind, owner, name string) (int, any) {
					status, answer := k.as(k.token("")).send("GET", "/"+kind+"/"+owner+"/packages/container/"+name+"/versions", "")
					return status, answer["items"]
				}
				require.NoError(k, k.PushImage(k.repo, "ann",
					ImageSpec{Name: "team/app", Tags: []string{"v1", "main"}, Digest: "sha256:ab"}))
				require.NoError(k, k.PushImage(k.repo, "ann",
					ImageSpec{Name: "team/app", Tags: []string{"v2", "main"}, Digest: "sha256:cd"}))
				require.NoError(k, k.PushImage(k.repo, "ann",
					ImageSpec{Name: "secret", Tags: []string{"v1"}, Digest: "sha256:ef", Private: true}))
				status, all := versions("orgs", "acme", "team%2Fapp")
				require.Equal(k, 200, status)
				require.Equal(k, "sha256:cd", dig(all, 0, "name"))
				require.Equal(k, []any{"v2", "main"}, dig(all, 0, "metadata", "container", "tags"))
				require.Equal(k, []any{"v1"}, dig(all, 1, "metadata", "container", "tags"), "the tag has moved")
				status, _ = versions("orgs", "acme", "secret")
				require.Equal(k, 404, status)
				status, _ = versions("users", "acme", "team%2Fapp")
				require.Equal(k, 404, status, "it is an organization")
				require.NoError(k, k.CreateRepo("ann/own", nil))
				require.NoError(k, k.PushImage("ann/own", "ann", ImageSpec{Name: "own", Tags: []string{"v1"}, Digest: "sha256:ab"}))
				status, all = versions("users", "ann", "own")
				require.Equal(k, 200, status)
				require.Equal(k, "sha256:ab", dig(all, 0, "name"))
			}},
		{"sends webhooks about releases that are drafts, pre-releases, edited and deleted",
			"documented: webhooks/webhook-events-and-payloads#release", func(k *kit) {
				require.NoError(k, k.PublishRelease(k.repo, "ann", "v1", true))
				require.NoError(k, k.EditRelease(k.repo, "v1", false))
				require.Equal(k, []string{
					"create", "push", "release created", "release published", "release prereleased", "release edited",
					"release released",
				}, k.settle())
				require.NoError(k, k.DraftRelease(k.repo, "ann", "v2"))
				require.NoError(k, k.EditRelease(k.repo, "v2", false))
				require.NoError(k, k.DeleteRelease(k.repo, "v2"))
				require.Equal(k, []string{
					"release created", "create", "push", "release published", "release released", "release deleted",
				}, k.settle())
				require.ErrorContains(k, k.DeleteRelease(k.repo, "v2"), "no release v2")
				require.NoError(k, k.PushTag(k.repo, "ann", "v2", "main"))
				require.Empty(k, k.settle(), "it is where it was")
			}},
		{"sends webhooks about workflows, statuses, reviews and labels", "documented: webhooks/webhook-events-and-payloads",
			func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				k.settle()
				id, err := k.StartWorkflow(k.repo, "ci", "x", "push", "ann")
				require.NoError(k, err)
				require.NoError(k, k.FinishWorkflow(k.repo, id, "success"))
				require.NoError(k, k.CreateStatus(k.repo, "x", "ann", "ci", "success", ""))
				require.NoError(k, k.Review(k.repo, number, "bob", "APPROVED", ""))
				require.NoError(k, k.AddLabel(k.repo, number, "ann", "l"))
				require.NoError(k, k.RemoveLabel(k.repo, number, "ann", "l"))
				require.NoError(k, k.EditPull(k.repo, number, "ann", "T", "B"))
				require.Equal(k, []string{
					"workflow_run requested", "workflow_run completed", "status", "pull_request_review submitted",
					"pull_request labeled",
					"pull_request unlabeled", "pull_request edited",
				}, k.settle())
			}},
	}
}

func provesRedelivery(k *kit) {
	k.hooks.answer(500)
	_, err := k.PushFiles(k.repo, "main", "ann", "m", map[string]*string{"a": Text("b")})
	require.NoError(k, err)
	require.Error(k, k.Settle(k.Context()))
	first := k.hooks.takeAll()
	require.Len(k, first, 2, "one attempt each")
	k.hooks.answer(0)

	app := k.as("app")
	_, failed := app.send("GET", "/app/hook/deliveries?status=failure", "")
	require.Len(k, failed["items"], 2)
	push := dig(failed, "items", 1)
	require.Equal(k, float64(500), dig(push, "status_code"))
	path := fmt.Sprintf("/app/hook/deliveries/%.0f", dig(push, "id"))
	_, shown := app.send("GET", path, "")
	require.Equal(k, "refs/heads/main", dig(shown, "request", "payload", "ref"))
	status, _ := app.send("POST", path+"/attempts", "")
	require.Equal(k, 202, status)
	require.NoError(k, k.Settle(k.Context()))
	again := k.hooks.takeAll()
	require.Len(k, again, 1)
	require.Equal(k, first[0].guid, again[0].guid)
	require.Equal(k, first[0].body, again[0].body)
	_, all := app.send("GET", "/app/hook/deliveries", "")
	require.Equal(k, true, dig(all, "items", 0, "redelivery"))
	require.Equal(k, "OK", dig(all, "items", 0, "status"))
}

func provesInstallationEvents(k *kit) {
	require.NoError(k, k.UninstallApp("acme"))
	_, err := k.InstallApp("acme", k.repo)
	require.NoError(k, err)
	require.NoError(k, k.CreateRepo("acme/second", nil))
	require.NoError(k, k.ReachRepo("acme/second", true))
	require.NoError(k, k.RenameRepo("acme/second", "acme/third"))
	require.NoError(k, k.ArchiveRepo("acme/third", true))
	require.NoError(k, k.ReachRepo("acme/third", false))
	require.NoError(k, k.SuspendApp("acme", true))
	require.NoError(k, k.SuspendApp("acme", false))
	require.NoError(k, k.Permit("packages", ""))
	require.NoError(k, k.Permit("packages", "read"))
	require.Equal(k, []string{
		"installation deleted", "installation created", "installation_repositories added", "repository renamed",
		"repository archived",
		"installation_repositories removed", "installation suspend", "installation unsuspend",
		"installation new_permissions_accepted",
	}, k.settle())
}
