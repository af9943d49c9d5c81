package githubsim

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"

	"github.com/stretchr/testify/require"
)

func contentRows() []behaviour {
	return []behaviour{
		{"shows a repository, and redirects from a name it had before to its id: GET by 301, anything else by 307",
			"reported: octokit/fixtures#399", func(k *kit) {
				bot := k.bot()
				status, repo := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 200, status)
				require.Equal(k, "main", repo["default_branch"])
				bot.stay = true
				k.Faults().FailNext(Route{}, Fault{Moved: true})
				for _, status := range []int{301, 200} {
					shown, _ := bot.send("GET", "/repos/acme/app", "")
					require.Equal(k, status, shown, "it has its name again")
				}
				require.NoError(k, k.RenameRepo(k.repo, "acme/renamed"))
				for method, redirect := range map[string]int{"GET": 301, "POST": 307} {
					status, _ = bot.send(method, "/repos/acme/app/labels", map[string]string{"POST": `{"name":"x"}`}[method])
					require.Equal(k, redirect, status)
					at := fmt.Sprintf("/repositories/%.0f/labels", repo["id"])
					require.Equal(k, k.V3URL()+at, bot.last.Header.Get("Location"))
				}
				bot.stay = false
				_, renamed := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, "acme/renamed", renamed["full_name"])
				require.Equal(k, repo["id"], renamed["id"])
			}},
		{"changes settings for administrators", "documented: rest/repos/repos#update-a-repository", func(k *kit) {
			require.NoError(k, k.SetPermission(k.repo, "ann", "admin"))
			status, repo := k.as(k.UserToken("ann")).send("PATCH", "/repos/acme/app",
				`{"allow_merge_commit":false,"allow_auto_merge":true}`)
			require.Equal(k, 200, status)
			require.Equal(k, false, repo["allow_merge_commit"])
			require.Equal(k, true, repo["allow_auto_merge"])
		}},
		{"reads files, folders and links of a branch, tag or commit",
			"documented: rest/repos/contents#get-repository-content", func(k *kit) {
				bot := k.bot()
				_, file := bot.send("GET", "/repos/acme/app/contents/deploy/dev.yaml?ref="+k.Head(k.repo, "main"), "")
				content, err := base64.StdEncoding.DecodeString(strings.TrimSpace(file["content"].(string)))
				require.NoError(k, err)
				require.Equal(k, "tag: v1\n", string(content))
				_, folder := bot.send("GET", "/repos/acme/app/contents/deploy", "")
				require.Equal(k, "deploy/dev.yaml", dig(folder, "items", 0, "path"))
				status, _ := bot.send("GET", "/repos/acme/app/contents", "")
				require.Equal(k, 200, status)
				k.refused(bot, "GET", "/repos/acme/app/contents/none", "", 404, "Not Found")
			}},
		{"serves contents raw when asked to", "documented: rest/repos/contents#get-repository-content", func(k *kit) {
			bot := k.bot()
			bot.accept = "application/vnd.github.raw+json"
			_, answer := bot.send("GET", "/repos/acme/app/contents/README.md", "")
			require.Equal(k, "app\n", answer["text"])
		}},
		{"lists who has changed a branch, newest first, with the commits before and after, also of a branch that is gone",
			"documented: rest/repos/repos#list-repository-activities", proveActivity},
		{"pages the changes of branches by cursor, and filters them by person and kind",
			"documented: rest/repos/repos#list-repository-activities", func(k *kit) {
				bot := k.bot()
				for range 2 {
					_, err := k.PushFiles(k.repo, "x", "ann", "more", map[string]*string{"more": Text(k.Head(k.repo, "x"))})
					require.NoError(k, err)
				}
				bot.send("GET", "/repos/acme/app/activity?ref=x&per_page=1", "")
				link := bot.last.Header.Get("Link")
				require.Contains(k, link, `rel="next"`)
				next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"+strings.TrimSuffix(k.V3URL(), "/")), ">")
				_, page := bot.send("GET", next, "")
				require.Equal(k, "branch_creation", dig(page, "items", 0, "activity_type"))
				_, none := bot.send("GET", "/repos/acme/app/activity?ref=x&actor=bob", "")
				require.Empty(k, none["items"])
				_, made := bot.send("GET", "/repos/acme/app/activity?ref=x&activity_type=branch_creation", "")
				require.Len(k, made["items"], 1)
			}},
		{"shows the changes of the branches of a public repository to everybody",
			"documented: rest/authentication/permissions-required-for-github-apps", func(k *kit) {
				require.NoError(k, k.CreateRepo("other/open", nil))
				require.NoError(k, k.SetPublic("other/open", true))
				status, _ := k.bot().send("GET", "/repos/other/open/activity", "")
				require.Equal(k, 200, status)
			}},
		{"creates a file with 201, changes it with 200, deletes it",
			"documented: rest/repos/contents#create-or-update-file-contents", func(k *kit) {
				bot := k.bot()
				content := base64.StdEncoding.EncodeToString([]byte("new\n"))
				status, answer := bot.send("PUT", "/repos/acme/app/contents/a/new.txt",
					`{"message":"m","content":"`+content+`","branch":"main"}`)
				require.Equal(k, 201, status)
				sha := dig(answer, "content", "sha").(string)
				status, answer = bot.send("PUT", "/repos/acme/app/contents/a/new.txt",
					`{"message":"m","content":"`+base64.StdEncoding.EncodeToString([]byte("newer"))+`","sha":"`+sha+`"}`)
				require.Equal(k, 200, status)
				text, _ := k.File(k.repo, "main", "a/new.txt")
				require.Equal(k, "newer", text)
				status, _ = bot.send("DELETE", "/repos/acme/app/contents/a/new.txt",
					`{"message":"m","sha":"`+dig(answer, "content", "sha").(string)+`"}`)
				require.Equal(k, 200, status)
				_, found := k.File(k.repo, "main", "a/new.txt")
				require.False(k, found)
			}},
		{"answers 422 to a change without sha and 409 to one with a wrong sha",
			fidelity, func(k *kit) {
				bot := k.bot()
				k.refused(bot, "PUT", "/repos/acme/app/contents/README.md", `{"message":"m","content":"eA=="}`, 422,
					"Invalid request.\n\n\"sha\" wasn't supplied.")
				wrong := strings.Repeat("0", 40)
				k.refused(bot, "PUT", "/repos/acme/app/contents/README.md", `{"message":"m","content":"eA==","sha":"`+wrong+`"}`,
					409, "README.md does not match "+wrong)
			}},
		{"ignores the sha for a new path, checks the branch first and refuses bad Base64",
			fidelity, func(k *kit) {
				bot := k.bot()
				status, _ := bot.send("PUT", "/repos/acme/app/contents/fresh",
					`{"message":"m","content":"eA==","sha":"`+strings.Repeat("0", 40)+`"}`)
				require.Equal(k, 201, status)
				k.refused(bot, "PUT", "/repos/acme/app/contents/README.md", `{"message":"m","content":"eA==","branch":"none"}`,
					404, "Branch none not found")
				k.refused(bot, "PUT", "/repos/acme/app/contents/other", `{"message":"m","content":"!"}`, 422,
					"content is not valid Base64")
			}},
		{"lists, shows and compares commits", "documented: rest/commits/commits#compare-two-commits", func(k *kit) {
			first := k.Head(k.repo, "main")
			second, err := k.PushFiles(k.repo, "main", "ann", "change", map[string]*string{"deploy/dev.yaml": Text("tag: v2\n")})
			require.NoError(k, err)
			bot := k.bot()
			_, commits := bot.send("GET", "/repos/acme/app/commits?path=deploy", "")
			require.Len(k, commits["items"], 2)
			_, commits = bot.send("GET", "/repos/acme/app/commits?path=src", "")
			require.Equal(k, first, dig(commits, "items", 0, "sha"))
			_, commit := bot.send("GET", "/repos/acme/app/commits/main", "")
			require.Equal(k, "ann", dig(commit, "author", "login"))
			require.Equal(k, "@@ -1 +1 @@\n-tag: v1\n+tag: v2", dig(commit, "files", 0, "patch"))
			_, compare := bot.send("GET", "/repos/acme/app/compare/"+first+"...main", "")
			require.Equal(k, "ahead", compare["status"])
			require.Equal(k, second, dig(compare, "commits", 0, "sha"))
			k.refused(bot, "GET", "/repos/acme/app/commits/nothing", "", 422, "No commit found for SHA: nothing")
		}},
		{"lists branches, tags, topics, hooks and the branches whose head a commit is",
			"documented: rest/commits/commits#list-branches-for-head-commit", func(k *kit) {
				require.NoError(k, k.PublishRelease(k.repo, "ann", "v1.0.0", false))
				require.NoError(k, k.CreateBranch(k.repo, "release/1", "ann", "main"))
				require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"build"}}))
				bot := k.bot()
				_, branches := bot.send("GET", "/repos/acme/app/branches", "")
				require.Equal(k, true, dig(branches, "items", 0, "protected"))
				_, branch := bot.send("GET", "/repos/acme/app/branches/release/1", "")
				require.Equal(k, "release/1", branch["name"])
				k.refused(bot, "GET", "/repos/acme/app/branches/none", "", 404, "Branch not found")
				_, tags := bot.send("GET", "/repos/acme/app/tags", "")
				require.Equal(k, "v1.0.0", dig(tags, "items", 0, "name"))
				_, heads := bot.send("GET", "/repos/acme/app/commits/"+k.Head(k.repo, "main")+"/branches-where-head", "")
				require.Len(k, heads["items"], 2)
				for _, path := range []string{"/topics", "/hooks"} {
					status, _ := bot.send("GET", "/repos/acme/app"+path, "")
					require.Equal(k, 200, status, path)
				}
			}},
		{"shows releases, the newest full one as latest", "documented: rest/releases/releases#get-the-latest-release",
			func(k *kit) {
				bot := k.bot()
				status, made := bot.send("POST", "/repos/acme/app/releases", `{"tag_name":"v1.0.0","name":"One"}`)
				require.Equal(k, 201, status)
				require.NoError(k, k.PublishRelease(k.repo, "ann", "v2.0.0-rc1", true))
				_, latest := bot.send("GET", "/repos/acme/app/releases/latest", "")
				require.Equal(k, "v1.0.0", latest["tag_name"])
				_, all := bot.send("GET", "/repos/acme/app/releases", "")
				require.Equal(k, "v2.0.0-rc1", dig(all, "items", 0, "tag_name"))
				_, tagged := bot.send("GET", "/repos/acme/app/releases/tags/v2.0.0-rc1", "")
				require.Equal(k, true, tagged["prerelease"])
				_, one := bot.send("GET", fmt.Sprintf("/repos/acme/app/releases/%.0f", made["id"]), "")
				require.Equal(k, "One", one["name"])
				status, _ = bot.send("POST", "/repos/acme/app/releases", `{"tag_name":"v1.0.0"}`)
				require.Equal(k, 422, status)
			}},
		{"shows protection to administrators, in REST and GraphQL", fixtures + "branch-protection", func(k *kit) {
			bot := k.bot()
			k.refused(bot, "GET", "/repos/acme/app/branches/main/protection", "", 404, "Branch not protected")
			require.NoError(k, k.Protect(k.repo, "main",
				Protection{RequiredChecks: []string{"build"}, RequiredReviews: 2, UpToDate: true, MergeQueue: true}))
			_, protection := bot.send("GET", "/repos/acme/app/branches/main/protection", "")
			require.Equal(k, "build", dig(protection, "required_status_checks", "contexts", 0))
			require.Equal(k, float64(2), dig(protection, "required_pull_request_reviews", "required_approving_review_count"))
			_, checks := bot.send("GET", "/repos/acme/app/branches/main/protection/required_status_checks", "")
			require.Equal(k, true, checks["strict"])
			_, rules := bot.send("GET", "/repos/acme/app/rules/branches/main", "")
			require.Len(k, rules["items"], 3)
		}},
		{"takes a dispatch with 204, and sends Apps a webhook with its name",
			"documented: rest/repos/repos#create-a-repository-dispatch-event", func(k *kit) {
				status, _ := k.bot().send("POST", "/repos/acme/app/dispatches",
					`{"event_type":"deploy","client_payload":{"version":"1"}}`)
				require.Equal(k, 204, status)
				require.NoError(k, k.Settle(k.Context()))
				hooks := k.hooks.takeAll()
				require.Len(k, hooks, 1)
				require.Equal(k, []any{"repository_dispatch", "deploy", "1"},
					[]any{hooks[0].event, hooks[0].action, dig(hooks[0].payload, "client_payload", "version")})
			}},
		{"merges branches: 201, 204 when there is nothing to do, 409 on conflict",
			"documented: rest/branches/branches#merge-a-branch", func(k *kit) {
				k.diverge()
				bot := k.bot()
				status, _ := bot.send("POST", "/repos/acme/app/merges", `{"base":"main","head":"clean"}`)
				require.Equal(k, 201, status)
				status, _ = bot.send("POST", "/repos/acme/app/merges", `{"base":"main","head":"clean"}`)
				require.Equal(k, 204, status)
				k.refused(bot, "POST", "/repos/acme/app/merges", `{"base":"main","head":"conflict"}`, 409, "Merge conflict")
			}},
		{"refuses every write to an archived repository", "assumed", func(k *kit) {
			require.NoError(k, k.ArchiveRepo(k.repo, true))
			k.refused(k.bot(), "POST", "/repos/acme/app/git/blobs", `{"content":"x"}`, 403,
				"Repository was archived so is read-only.")
		}},
	}
}

// diverge makes two branches from main, clean and conflict, and moves main so that only clean merges.
func (k *kit) diverge() {
	k.Helper()
	_, err := k.PushFiles(k.repo, "clean", "ann", "clean", map[string]*string{"other.txt": Text("x\n")})
	require.NoError(k, err)
	_, err = k.PushFiles(k.repo, "conflict", "ann", "conflict", map[string]*string{"deploy/dev.yaml": Text("tag: mine\n")})
	require.NoError(k, err)
	_, err = k.PushFiles(k.repo, "main", "bob", "main", map[string]*string{"deploy/dev.yaml": Text("tag: theirs\n")})
	require.NoError(k, err)
}

func gitRows() []behaviour {
	return []behaviour{
		{"addresses objects by content, as Git does", "documented: rest/git/blobs", func(k *kit) {
			_, blob := k.bot().send("POST", "/repos/acme/app/git/blobs", `{"content":"hello\n","encoding":"utf-8"}`)
			require.Equal(k, "ce013625030ba8dba906f756967f9e9ca394464a", blob["sha"])
			_, shown := k.bot().send("GET", "/repos/acme/app/git/blobs/ce013625030ba8dba906f756967f9e9ca394464a", "")
			require.Equal(k, "aGVsbG8K\n", shown["content"])
			dir, err := k.GitDir(k.repo)
			require.NoError(k, err)
			out, err := exec.Command("git", "--git-dir", dir, "cat-file", "-p",
				"ce013625030ba8dba906f756967f9e9ca394464a").Output()
			require.NoError(k, err)
			require.Equal(k, "hello\n", string(out))
		}},
		{"builds trees on a base, deletes with a null sha and lists them recursively",
			"documented: rest/git/trees#create-a-tree", func(k *kit) {
				bot := k.bot()
				status, tree := bot.send("POST", "/repos/acme/app/git/trees", `{"base_tree":"`+k.Head(k.repo, "main")+`","tree":[
				{"path":"deploy/dev.yaml","mode":"100644","type":"blob","sha":null},{"path":"a/b","mode":"100755","type":"blob",
				"content":"x"}]}`)
				require.Equal(k, 201, status)
				_, all := bot.send("GET", "/repos/acme/app/git/trees/"+tree["sha"].(string)+"?recursive=1", "")
				var paths []string
				for _, e := range all["tree"].([]any) {
					paths = append(paths, dig(e, "path").(string))
				}
				require.Equal(k, []string{"README.md", "a", "a/b", "src", "src/main.go"}, paths)
			}},
		{"ends recursive lists of trees at 100,000 entries or 7 MB, and says truncated",
			"documented: rest/git/trees#get-a-tree",
			func(k *kit) {
				bot := k.bot()
				k.ListAtMost(2)
				_, all := bot.send("GET", "/repos/acme/app/git/trees/main?recursive=1", "")
				require.Len(k, all["tree"], 2)
				require.Equal(k, true, all["truncated"])
				_, top := bot.send("GET", "/repos/acme/app/git/trees/main", "")
				require.Len(k, top["tree"], 3)
				require.Equal(k, false, top["truncated"])
			}},
		{"refuses trees that Git could not check out", "assumed, play objects", func(k *kit) {
			bot := k.bot()
			for _, path := range []string{"../x", ".git/config", "/x"} {
				k.refused(bot, "POST", "/repos/acme/app/git/trees",
					`{"tree":[{"path":"`+path+`","mode":"100644","type":"blob","content":"x"}]}`, 422,
					"tree.path contains a malformed path component")
			}
		}},
		{"makes commits of existing trees and parents only", "assumed, play objects", func(k *kit) {
			bot := k.bot()
			_, head := bot.send("GET", "/repos/acme/app/git/commits/"+k.Head(k.repo, "main"), "")
			tree := dig(head, "tree", "sha").(string)
			status, commit := bot.send("POST", "/repos/acme/app/git/commits",
				`{"message":"m","tree":"`+tree+`","parents":["`+k.Head(k.repo, "main")+
					`"],"author":{"name":"x","email":"x@example.com","date":"2026-01-02T03:04:05Z"}}`)
			require.Equal(k, 201, status)
			require.Equal(k, "2026-01-02T03:04:05Z", dig(commit, "author", "date"))
			k.refused(bot, "POST", "/repos/acme/app/git/commits", `{"message":"m","tree":"`+strings.Repeat("1", 40)+`"}`, 422,
				"Tree SHA does not exist")
			k.refused(bot, "POST", "/repos/acme/app/git/commits",
				`{"message":"m","tree":"`+tree+`","parents":["`+strings.Repeat("1", 40)+`"]}`, 422,
				"Parent SHA does not exist or is not a commit object")
		}},
		{"may not see a new tree yet: 422 Tree SHA does not exist", "reported: osunyorg/admin#3705", func(k *kit) {
			k.LagBehind(1)
			bot := k.bot()
			status, tree := bot.send("POST", "/repos/acme/app/git/trees",
				`{"tree":[{"path":"x","mode":"100644","type":"blob","content":"new"}]}`)
			require.Equal(k, 201, status)
			commit := `{"message":"m","tree":"` + tree["sha"].(string) + `"}`
			k.refused(bot, "POST", "/repos/acme/app/git/commits", commit, 422, "Tree SHA does not exist")
			status, _ = bot.send("POST", "/repos/acme/app/git/commits", commit)
			require.Equal(k, 201, status)
		}},
		{"may not see a new commit yet: 422 Object does not exist; nor a new branch", "assumed, play lag", func(k *kit) {
			k.LagBehind(1)
			bot := k.bot()
			_, tree := bot.send("GET", "/repos/acme/app/git/commits/"+k.Head(k.repo, "main"), "")
			status, commit := bot.send("POST", "/repos/acme/app/git/commits",
				`{"message":"m","tree":"`+dig(tree, "tree", "sha").(string)+`"}`)
			require.Equal(k, 201, status)
			ref := `{"ref":"refs/heads/x","sha":"` + commit["sha"].(string) + `"}`
			k.refused(bot, "POST", "/repos/acme/app/git/refs", ref, 422, "Object does not exist")
			status, _ = bot.send("POST", "/repos/acme/app/git/refs", ref)
			require.Equal(k, 201, status)
			status, _ = bot.send("GET", "/repos/acme/app/git/ref/heads/x", "")
			require.Equal(k, 404, status, "nor a new branch")
			status, _ = bot.send("GET", "/repos/acme/app/git/ref/heads/x", "")
			require.Equal(k, 200, status)
			k.LagBehind(0)
			status, _ = bot.send("POST", "/repos/acme/app/git/refs", strings.Replace(ref, "heads/x", "heads/y", 1))
			require.Equal(k, 201, status)
			status, _ = bot.send("GET", "/repos/acme/app/git/ref/heads/y", "")
			require.Equal(k, 200, status, "the lag is over")
		}},
		{"creates a reference once: 422 Reference already exists", "reported: renovatebot/renovate#20281", func(k *kit) {
			bot := k.bot()
			body := `{"ref":"refs/heads/x/y","sha":"` + k.Head(k.repo, "main") + `"}`
			status, _ := bot.send("POST", "/repos/acme/app/git/refs", body)
			require.Equal(k, 201, status)
			k.refused(bot, "POST", "/repos/acme/app/git/refs", body, 422, "Reference already exists")
		}},
		{"refuses a reference below an existing one with no more than Reference update failed",
			"reported: microsoft/vscode-remote-repositories-github#122", func(k *kit) {
				k.refused(k.bot(), "POST", "/repos/acme/app/git/refs",
					`{"ref":"refs/heads/main/below","sha":"`+k.Head(k.repo, "main")+`"}`, 422, "Reference update failed")
			}},
		{"refuses references to missing objects and invalid names", "assumed, play references", func(k *kit) {
			bot := k.bot()
			k.refused(bot, "POST", "/repos/acme/app/git/refs", `{"ref":"refs/heads/x","sha":"`+strings.Repeat("1", 40)+`"}`,
				422, "Object does not exist")
			k.refused(bot, "POST", "/repos/acme/app/git/refs", `{"ref":"heads","sha":"`+k.Head(k.repo, "main")+`"}`, 422,
				"Reference name must start with 'refs/' and have at least two slashes")
			k.refused(bot, "POST", "/repos/acme/app/git/refs", `{"ref":"refs/heads/a..b","sha":"`+k.Head(k.repo, "main")+`"}`,
				422, "refs/heads/a..b is not a valid ref name.")
		}},
		{"shows one reference exactly and lists those that begin with a prefix",
			"documented: rest/git/refs#list-matching-references", func(k *kit) {
				require.NoError(k, k.CreateBranch(k.repo, "waybill/a", "ann", "main"))
				require.NoError(k, k.CreateBranch(k.repo, "waybill/b", "ann", "main"))
				bot := k.bot()
				_, ref := bot.send("GET", "/repos/acme/app/git/ref/heads/waybill/a", "")
				require.Equal(k, k.Head(k.repo, "main"), dig(ref, "object", "sha"))
				k.refused(bot, "GET", "/repos/acme/app/git/ref/heads/waybill", "", 404, "Not Found")
				_, refs := bot.send("GET", "/repos/acme/app/git/matching-refs/heads/waybill", "")
				require.Len(k, refs["items"], 2)
			}},
		{"moves a reference forward, elsewhere only by force", "reported: webspace-sdk/webspace-engine#104", func(k *kit) {
			base := k.Head(k.repo, "main")
			_, err := k.PushFiles(k.repo, "x", "ann", "one", map[string]*string{"one": Text("1")})
			require.NoError(k, err)
			other, err := k.PushFiles(k.repo, "y", "ann", "two", map[string]*string{"two": Text("2")})
			require.NoError(k, err)
			bot := k.bot()
			k.refused(bot, "PATCH", "/repos/acme/app/git/refs/heads/x", `{"sha":"`+other+`"}`, 422,
				"Update is not a fast forward")
			k.refused(bot, "PATCH", "/repos/acme/app/git/refs/heads/none", `{"sha":"`+base+`"}`, 422, "Reference does not exist")
			status, _ := bot.send("PATCH", "/repos/acme/app/git/refs/heads/x", `{"sha":"`+other+`","force":true}`)
			require.Equal(k, 200, status)
			require.Equal(k, other, k.Head(k.repo, "x"))
		}},
		{"deletes a reference with 204; a missing one is a 422", "assumed, play references", func(k *kit) {
			require.NoError(k, k.CreateBranch(k.repo, "x", "ann", "main"))
			bot := k.bot()
			status, _ := bot.send("DELETE", "/repos/acme/app/git/refs/heads/x", "")
			require.Equal(k, 204, status)
			k.refused(bot, "DELETE", "/repos/acme/app/git/refs/heads/x", "", 422, "Reference does not exist")
		}},
		{"refuses an App's push of workflows without the permission workflows",
			"reported: peter-evans/create-pull-request#1713", func(k *kit) {
				bot := k.bot()
				_, tree := bot.send("POST", "/repos/acme/app/git/trees",
					`{"base_tree":"`+k.Head(k.repo,
						"main")+`","tree":[{"path":".github/workflows/x.yml","mode":"100644","type":"blob","content":"x"}]}`)
				_, commit := bot.send("POST", "/repos/acme/app/git/commits",
					`{"message":"m","tree":"`+tree["sha"].(string)+`","parents":["`+k.Head(k.repo, "main")+`"]}`)
				k.refused(bot, "POST", "/repos/acme/app/git/refs", `{"ref":"refs/heads/x","sha":"`+commit["sha"].(string)+`"}`, 403,
					"refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` "+
						"permission")
			}},
		{"refuses every push to a branch that demands pull requests", "reported: googleapis/repo-automation-bots#5551",
			func(k *kit) {
				require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1}))
				sha, err := k.PushFiles(k.repo, "x", "ann", "one", map[string]*string{"one": Text("1")})
				require.NoError(k, err)
				k.refused(k.bot(), "PATCH", "/repos/acme/app/git/refs/heads/main", `{"sha":"`+sha+`"}`, 422,
					"Changes must be made through a pull request.")
			}},
		{"refuses a change of a file on a branch that demands checks and pull requests: 409 with both reasons",
			"reported: BobAnkh/auto-generate-changelog#78", func(k *kit) {
				require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredReviews: 1, RequiredChecks: []string{"a", "b"}}))
				k.refused(k.bot(), "PUT", "/repos/acme/app/contents/new", `{"message":"m","content":"eA=="}`, 409,
					"Could not update file: 2 of 2 required status checks are expected. Changes must be made through a pull request.")
			}},
	}
}

// proveActivity makes, moves, forces and deletes a branch, and merges it.
func proveActivity(k *kit) {
	bot := k.bot()
	number, _ := k.open("x", "tag: v2\n")
	first := k.Head(k.repo, "x")
	second, err := k.PushFiles(k.repo, "x", "bob", "more", map[string]*string{"more": Text("1")})
	require.NoError(k, err)
	status, _ := bot.send("PATCH", "/repos/acme/app/git/refs/heads/x", `{"sha":"`+first+`","force":true}`)
	require.Equal(k, 200, status)
	_, err = k.MergePull(k.repo, number, "ann", "squash")
	require.NoError(k, err)
	require.NoError(k, k.DeleteBranch(k.repo, "x", "ann"))
	list := func(ref string) (all []string) {
		_, answer := bot.send("GET", "/repos/acme/app/activity?ref="+ref, "")
		for _, one := range answer["items"].([]any) {
			all = append(all, fmt.Sprint(dig(one, "activity_type"), " ", dig(one, "actor", "login"), " ", dig(one, "after")))
		}
		return all
	}
	gone := strings.Repeat("0", 40)
	require.Equal(k, []string{
		"branch_deletion ann " + gone, "force_push waybill[bot] " + first, "push bob " + second,
		"branch_creation ann " + first,
	}, list("refs/heads/x"))
	require.Equal(k, "pr_merge ann "+k.Head(k.repo, "main"), list("main")[0])
}
