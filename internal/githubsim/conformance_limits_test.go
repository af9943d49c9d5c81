package githubsim

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim/wire"
)

func limitRows() []behaviour {
	return []behaviour{
		{"counts requests per installation and says so in headers",
			"documented: rest/using-the-rest-api/rate-limits-for-the-rest-api", func(k *kit) {
				bot := k.bot()
				bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, "4999", bot.last.Header.Get("X-RateLimit-Remaining"))
				require.Equal(k, "core", bot.last.Header.Get("X-RateLimit-Resource"))
				bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, "2", bot.last.Header.Get("X-RateLimit-Used"))
				_, limits := bot.send("GET", "/rate_limit", "")
				require.Equal(k, float64(4998), dig(limits, "resources", "core", "remaining"), "asking is free")
			}},
		{"refuses with 403 and a reset when the hour is used up",
			"documented: rest/using-the-rest-api/rate-limits-for-the-rest-api", func(k *kit) {
				bot := k.bot()
				k.SetRateLimit(1)
				bot.send("GET", "/repos/acme/app", "")
				k.refused(bot, "GET", "/repos/acme/app", "", 403,
					fmt.Sprintf("API rate limit exceeded for installation ID %d.", k.install))
				require.Equal(k, "0", bot.last.Header.Get("X-RateLimit-Remaining"))
				reset, err := strconv.ParseInt(bot.last.Header.Get("X-RateLimit-Reset"), 10, 64)
				require.NoError(k, err)
				k.clock.Advance(time.Unix(reset, 0).Sub(k.clock.Now()))
				status, _ := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 200, status)
			}},
		{"refuses content that comes too fast, and says neither how much it takes nor when it takes more",
			"reported: cli/cli#4801", func(k *kit) {
				bot := k.bot()
				k.LimitContent(20, 150)
				n, err := k.CreateIssue(k.repo, "ann", "x", "")
				require.NoError(k, err)
				path := fmt.Sprintf("/repos/acme/app/issues/%d/comments", n)
				for made := range 150 {
					if made > 0 && made%20 == 0 {
						k.refused(bot, "POST", path, `{"body":"x"}`, 422, "Validation Failed")
						k.clock.Advance(time.Minute)
					}
					status, _ := bot.send("POST", path, `{"body":"x"}`)
					require.Equal(k, 201, status, made)
				}
				k.clock.Advance(50 * time.Minute)
				k.refused(bot, "POST", path, `{"body":"x"}`, 422, "Validation Failed")
				k.clock.Advance(10 * time.Minute)
				status, _ := bot.send("POST", path, `{"body":"x"}`)
				require.Equal(k, 201, status)
			}},
		{"answers 304 to an unchanged ETag and does not count it",
			"documented: rest/using-the-rest-api/best-practices-for-using-the-rest-api", func(k *kit) {
				bot := k.bot()
				bot.send("GET", "/repos/acme/app", "")
				bot.etag = bot.last.Header.Get("ETag")
				remaining := bot.last.Header.Get("X-RateLimit-Remaining")
				status, _ := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, http.StatusNotModified, status)
				require.Equal(k, remaining, bot.last.Header.Get("X-RateLimit-Remaining"))
				require.NoError(k, k.SetSettings(k.repo, RepoSettings{AutoMerge: true}))
				status, _ = bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 200, status)
			}},
		{"answers 304 to no other token than the one that got the ETag", "reported: eclipse-csi/otterdog#201", func(k *kit) {
			k.Behave(1, Strict)
			bot := k.bot()
			bot.send("GET", "/repos/acme/app", "")
			etag := bot.last.Header.Get("ETag")
			other := k.as(k.token(`{"permissions":{"metadata":"read"}}`))
			other.etag, bot.etag = etag, etag
			status, _ := other.send("GET", "/repos/acme/app", "")
			require.Equal(k, 200, status)
			status, _ = bot.send("GET", "/repos/acme/app", "")
			require.Equal(k, http.StatusNotModified, status)
		}},
		{"refuses queries of too much: RESOURCE_LIMITS_EXCEEDED", "reported: cicirello/user-statistician#315", func(k *kit) {
			k.graph.MostThings = 2
			ask := func(n int) map[string]any {
				declared, fields, variables := "$c0: String!", "", map[string]any{}
				for i := range n {
					if i > 0 {
						declared += fmt.Sprintf(", $c%d: String!", i)
					}
					fields += fmt.Sprintf(" c%d: ref(qualifiedName: $c%d) { name }", i, i)
					variables[fmt.Sprintf("c%d", i)] = "refs/heads/main"
				}
				return k.graphql(`query(`+declared+`) { repository(owner: "acme", name: "app") {`+fields+` } }`, variables)
			}
			require.Nil(k, dig(ask(2), "errors"))
			refused := ask(3)
			require.Nil(k, refused["data"])
			require.Equal(k, "RESOURCE_LIMITS_EXCEEDED", dig(refused, "errors", 0, "type"))
		}},
		{"may want a pause behind a write: 403 and Retry-After",
			"documented: rest/using-the-rest-api/best-practices-for-using-the-rest-api", func(k *kit) {
				_, path := k.open("x", "tag: v2\n")
				bot := k.bot()
				k.Faults().NowAndThen(1, wire.Chance{Of: 1, Hits: behindWrite(), Fault: pause(2 * time.Second)})
				for range 2 {
					status, _ := bot.send("GET", path, "")
					require.Equal(k, 200, status)
				}
				bot.send("PATCH", path, `{"title":"another"}`)
				status, _ := bot.send("GET", path, "")
				require.Equal(k, 403, status)
				require.Equal(k, "2", bot.last.Header.Get("Retry-After"))
				status, _ = bot.send("GET", path, "")
				require.Equal(k, 200, status)
			}},
		{"refuses requests that come too fast with 403 and Retry-After, or with 429",
			"documented: rest/using-the-rest-api/rate-limits-for-the-rest-api", func(k *kit) {
				bot := k.bot()
				k.Faults().FailNext(Route{}, secondaryLimit(true))
				status, refused := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 403, status)
				require.Equal(k, "60", bot.last.Header.Get("Retry-After"))
				require.Contains(k, refused["message"], "secondary rate limit")
				k.Faults().FailNext(Route{}, secondaryLimit(false))
				status, _ = bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 429, status)
				require.Empty(k, bot.last.Header.Get("Retry-After"))
			}},
		{"serves the version 2022-11-28 of the REST API, and does not say that it ends",
			"documented: rest/about-the-rest-api/api-versions, play api-version", func(k *kit) {
				bot := k.bot()
				status, _ := bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 200, status)
				require.Empty(k, bot.last.Header.Get("Sunset"))
			}},
		{"has no rate limits as an Enterprise Server: 404 Rate limiting is not enabled, and no headers",
			docsServer + "rest/using-the-rest-api/rate-limits-for-the-rest-api", func(k *kit) {
				k.BeEnterprise("3.16.0")
				k.SetRateLimit(1)
				bot := k.bot()
				for range 3 {
					status, _ := bot.send("GET", "/repos/acme/app", "")
					require.Equal(k, 200, status)
				}
				require.Empty(k, bot.last.Header.Get("X-RateLimit-Remaining"))
				require.Equal(k, "3.16.0", bot.last.Header.Get("X-GitHub-Enterprise-Version"))
				k.refused(bot, "GET", "/rate_limit", "", 404, "Rate limiting is not enabled.")
				answer := k.graphql(`{ rateLimit { cost } viewer { login } }`, nil)
				require.Nil(k, dig(answer, "data", "rateLimit"))
				require.Equal(k, "waybill", dig(answer, "data", "viewer", "login"))
			}},
		{"lets clients keep answers for a minute", fixtures + "get-repository", func(k *kit) {
			bot := k.bot()
			bot.send("GET", "/repos/acme/app", "")
			require.Equal(k, "private, max-age=60, s-maxage=60", bot.last.Header.Get("Cache-Control"))
		}},
		{"pages lists by 30, at most 100, with Link headers", fixtures + "paginate-issues", func(k *kit) {
			for i := range 35 {
				_, err := k.CreateIssue(k.repo, "ann", fmt.Sprint(i), "")
				require.NoError(k, err)
			}
			bot := k.bot()
			_, first := bot.send("GET", "/repos/acme/app/issues", "")
			require.Len(k, first["items"], 30)
			link := fmt.Sprintf(`<%s/repos/acme/app/issues?page=2>; rel="next", <%s/repos/acme/app/issues?page=2>; rel="last"`,
				k.V3URL(), k.V3URL())
			require.Equal(k, link, bot.last.Header.Get("Link"))
			_, second := bot.send("GET", "/repos/acme/app/issues?page=2", "")
			require.Len(k, second["items"], 5)
			require.Contains(k, bot.last.Header.Get("Link"), `rel="prev"`)
			_, all := bot.send("GET", "/repos/acme/app/issues?per_page=500", "")
			require.Len(k, all["items"], 35)
		}},
		{"answers malformed JSON with 400 Problems parsing JSON",
			"documented: rest/using-the-rest-api/troubleshooting-the-rest-api", func(k *kit) {
				server, err := Start(Options{Unchecked: true})
				require.NoError(k, err)
				defer server.Close()
				require.NoError(k, server.CreateRepo("acme/app", nil))
				raw := &kit{T: k.T, Server: server}
				raw.refused(raw.as(server.UserToken("ann")), "POST", "/repos/acme/app/labels", "{", 400, "Problems parsing JSON")
			}},
	}
}
