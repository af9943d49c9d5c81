package githubsim

import (
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim/wire"
)

func outageRows() []behaviour {
	return []behaviour{
		{"may answer 502 though it has done what it was asked", "reported: sonichi/sutando#2865", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			k.Faults().FailNext(mergeRoute, Fault{Belated: http.StatusBadGateway})
			status, _ := k.bot().send("PUT", path+"/merge", `{}`)
			require.Equal(k, 502, status)
			view, _ := k.Pull(k.repo, number)
			require.Equal(k, "merged", view.State)
		}},
		{"may close the connection after the effect, without an answer", "assumed", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			k.Faults().FailNext(mergeRoute, Fault{LoseReply: true})
			require.Zero(k, k.bot().try(http.DefaultClient, "PUT", path+"/merge", `{}`))
			view, _ := k.Pull(k.repo, number)
			require.Equal(k, "merged", view.State)
		}},
		{"may answer a part of a query with null and an error", "reported: octokit/graphql.js#14", func(k *kit) {
			k.Faults().FailNext(Route{Path: "/graphql"}, Fault{Part: 2})
			answer := k.graphql(`query { repository(owner: "acme", name: "app") {
				a: ref(qualifiedName: "refs/heads/main") { name } b: object(expression: "main") { oid }
				c: ref(qualifiedName: "refs/heads/main") { name } } }`, nil)
			require.Equal(k, "main", dig(answer, "data", "repository", "a", "name"))
			require.Nil(k, dig(answer, "data", "repository", "b"))
			require.Equal(k, "main", dig(answer, "data", "repository", "c", "name"))
			require.Equal(k, []any{"repository", "b"}, dig(answer, "errors", 0, "path"))
			require.Contains(k, dig(answer, "errors", 0, "message"), "Something went wrong while executing your query.")
		}},
		{"may fail to make a tree: 422 GitRPC::BadObjectState", "reported: fullsend-ai/fullsend#5774", func(k *kit) {
			k.Faults().FailNext(Route{Method: "POST", Path: "/repos/{owner}/{repo}/git/trees"}, k.Faults().BadObjectState())
			const tree = `{"tree":[{"path":"x","mode":"100644","type":"blob","content":"new"}]}`
			k.refused(k.bot(), "POST", "/repos/acme/app/git/trees", tree, 422, "GitRPC::BadObjectState")
			status, _ := k.bot().send("POST", "/repos/acme/app/git/trees", tree)
			require.Equal(k, 201, status)
		}},
		{"may fail one mutation of a document with SERVICE_UNAVAILABLE or TIMEOUT, and do the others", "assumed",
			func(k *kit) {
				for _, because := range []string{"SERVICE_UNAVAILABLE", "TIMEOUT"} {
					k.Faults().FailNext(Route{Field: "createPullRequest"},
						Fault{FieldError: &FieldError{Field: "createPullRequest", Type: because, Message: "later"}})
					answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!, $ref: String!) {
						createRef(input: {repositoryId: $repo, name: $ref, oid: $oid}) { ref { name } }
						createPullRequest(input: {repositoryId: $repo, headRefName: $ref, baseRefName: "main", title: "t"}) {
							pullRequest { number } } }`,
						map[string]any{"repo": k.repoID(), "ref": "refs/heads/" + because, "oid": k.Head(k.repo, "main")})
					require.Equal(k, because+": later", failure(answer))
					require.NotEmpty(k, k.Head(k.repo, because))
					require.Empty(k, k.Pulls(k.repo))
				}
			}},
		{"may answer any question as it was a few seconds before", "assumed", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			bot.send("GET", path, "")
			require.NoError(k, k.ClosePull(k.repo, number, "ann"))
			k.clock.Advance(2 * time.Second)
			k.Faults().FailNext(Route{Method: "GET"}, Fault{Stale: 5 * time.Second})
			_, stale := bot.send("GET", path, "")
			require.Equal(k, "open", stale["state"])
			k.clock.Advance(4 * time.Second)
			k.Faults().FailNext(Route{Method: "GET"}, Fault{Stale: 5 * time.Second})
			_, now := bot.send("GET", path, "")
			require.Equal(k, "closed", now["state"])
		}},
		{"may answer what is asked right after a write as before it", "assumed", func(k *kit) {
			_, path := k.open("x", "tag: v2\n")
			bot := k.bot()
			title := func() any {
				_, shown := bot.send("GET", path, "")
				return shown["title"]
			}
			before := title()
			k.Faults().NowAndThen(1, wire.Chance{Of: 1, Hits: behindWrite(), Fault: Fault{Stale: 5 * time.Second}})
			require.Equal(k, before, title())
			bot.send("PATCH", path, `{"title":"another"}`)
			require.Equal(k, before, title())
			require.Equal(k, "another", title())
		}},
		{"may answer 500, 502 or 503 without doing anything", "reported: renovatebot/renovate#513", func(k *kit) {
			number, path := k.open("x", "tag: v2\n")
			for _, refused := range []int{500, 502, 503} {
				k.Faults().FailNext(mergeRoute, Fault{Status: refused})
				status, _ := k.bot().send("PUT", path+"/merge", `{}`)
				require.Equal(k, refused, status)
			}
			view, _ := k.Pull(k.repo, number)
			require.Equal(k, "open", view.State)
		}},
	}
}
