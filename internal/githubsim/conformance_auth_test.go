package githubsim

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/stretchr/testify/require"
)

// docsApps is a folder of GitHub's documentation.
const docsApps = "documented: apps/creating-github-apps/authenticating-with-a-github-app/"

func authenticationRows() []behaviour {
	return []behaviour{
		{"knows the App by a JWT signed with RS256",
			docsApps + "generating-a-json-web-token-jwt-for-a-github-app",
			func(k *kit) {
				status, app := k.as("app").send("GET", "/app", "")
				require.Equal(k, 200, status)
				require.Equal(k, "waybill", app["slug"])
				now := time.Now()
				byClientID := &plain{kit: k, header: "Bearer " + k.signed(jwt.MapClaims{
					"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "iss": app["client_id"],
				})}
				status, _ = byClientID.send("GET", "/app", "")
				require.Equal(k, 200, status)
			}},
		{
			"refuses a JWT that is expired, lives longer than ten minutes, comes from the future, has no exp or another key",
			docsApps + "generating-a-json-web-token-jwt-for-a-github-app",
			provesJWTRules,
		},
		{"refuses a JWT of another App with 404 Integration not found", "reported: octokit/rest.js#218", func(k *kit) {
			now := time.Now()
			p := &plain{kit: k, header: "Bearer " + k.signed(jwt.MapClaims{
				"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "iss": "99",
			})}
			status, answer := p.send("GET", "/app", "")
			require.Equal(k, 404, status)
			require.Equal(k, "Integration not found", answer["message"])
		}},
		{"answers 401 Bad credentials to an unknown token", fidelity, func(k *kit) {
			k.refused(k.as("ghs_unknown"), "GET", "/repos/acme/app", "", 401, "Bad credentials")
		}},
		{"answers 401 Requires authentication to a write without credentials", fidelity,
			func(k *kit) {
				require.NoError(k, k.SetPublic(k.repo, true))
				k.refused(k.as(""), "POST", "/repos/acme/app/git/blobs", `{"content":"x"}`, 401, "Requires authentication")
			}},
		{"puts message, documentation_url and status as a string into errors", fidelity,
			func(k *kit) {
				_, answer := k.as("ghs_unknown").send("GET", "/repos/acme/app", "")
				require.Equal(k, "401", answer["status"])
				require.Contains(k, answer["documentation_url"], "docs.github.com")
			}},
		{"lets an installation token live for an hour",
			"documented: rest/apps/apps#create-an-installation-access-token-for-an-app", func(k *kit) {
				_, answer := k.as("app").send("POST", fmt.Sprintf("/app/installations/%d/access_tokens", k.install), "")
				expires, err := time.Parse(time.RFC3339, answer["expires_at"].(string))
				require.NoError(k, err)
				require.WithinDuration(k, time.Now().Add(time.Hour), expires, time.Minute)
			}},
		{"mints tokens of 40 characters that begin with ghs_",
			"documented: authentication/keeping-your-account-and-data-secure/about-authentication-to-github", func(k *kit) {
				token := k.token("")
				require.Len(k, token, 40)
				require.True(k, strings.HasPrefix(token, "ghs_"))
			}},
		{"narrows a token to repositories",
			"documented: rest/apps/apps#create-an-installation-access-token-for-an-app", func(k *kit) {
				require.NoError(k, k.CreateRepo("acme/other", nil))
				bot := k.as(k.token(`{"repositories":["other"]}`))
				status, answer := bot.send("GET", "/installation/repositories", "")
				require.Equal(k, 200, status)
				require.Equal(k, float64(1), answer["total_count"])
				k.refused(bot, "GET", "/repos/acme/app", "", 404, "Not Found")
			}},
		{"narrows a token to permissions",
			"documented: rest/apps/apps#create-an-installation-access-token-for-an-app", func(k *kit) {
				bot := k.as(k.token(`{"permissions":{"contents":"read"}}`))
				status, _ := bot.send("GET", "/repos/acme/app/contents/README.md", "")
				require.Equal(k, 200, status)
				k.refused(bot, "POST", "/repos/acme/app/git/blobs", `{"content":"x"}`, 403,
					"Resource not accessible by integration")
			}},
		{"refuses to narrow a token to a permission that the installation does not have",
			"reported: promptfoo/promptfoo#8802, play narrow-token", func(k *kit) {
				path := fmt.Sprintf("/app/installations/%d/access_tokens", k.install)
				k.refused(k.as("app"), "POST", path, `{"permissions":{"secrets":"write"}}`, 422,
					"The permissions requested are not granted to this installation.")
				k.refused(k.as("app"), "POST", path, `{"repositories":["nothing"]}`, 422,
					"There is at least one repository that does not exist or is not accessible to the parent installation.")
			}},
		{"answers 403 Resource not accessible by integration where a permission is missing",
			"reported: github/rest-api-description#4290", func(k *kit) {
				status, answer := k.bot().send("POST", "/repos/acme/app/statuses/"+k.Head(k.repo, "main"), `{"state":"success"}`)
				require.Equal(k, 403, status)
				require.Equal(k, "Resource not accessible by integration", answer["message"])
			}},
		{"hides repositories that the App is not installed on",
			"documented: rest/using-the-rest-api/troubleshooting-the-rest-api",
			func(k *kit) {
				require.NoError(k, k.CreateRepo("other/secret", nil))
				k.refused(k.bot(), "GET", "/repos/other/secret", "", 404, "Not Found")
			}},
		{"ends a token with DELETE /installation/token and with the installation",
			"documented: rest/apps/installations#revoke-an-installation-access-token", func(k *kit) {
				bot := k.bot()
				status, _ := bot.send("DELETE", "/installation/token", "")
				require.Equal(k, 204, status)
				k.refused(bot, "GET", "/repos/acme/app", "", 401, "Bad credentials")
				second := k.bot()
				require.NoError(k, k.UninstallApp("acme"))
				k.refused(second, "GET", "/repos/acme/app", "", 401, "Bad credentials")
			}},
		{"gives a suspended installation no tokens and refuses its old ones",
			"reported: octokit/octokit.rb#1307", func(k *kit) {
				bot := k.bot()
				path := fmt.Sprintf("/app/installations/%d", k.install)
				status, _ := k.as("app").send("PUT", path+"/suspended", "")
				require.Equal(k, 204, status)
				k.refused(bot, "GET", "/repos/acme/app", "", 403, "This installation has been suspended")
				k.refused(k.as("app"), "POST", path+"/access_tokens", "", 403, "This installation has been suspended")
				status, _ = k.as("app").send("DELETE", path+"/suspended", "")
				require.Equal(k, 204, status)
				status, _ = bot.send("GET", "/repos/acme/app", "")
				require.Equal(k, 200, status)
			}},
		{"finds installations by id, repository, organization and user, and lists them",
			"documented: rest/apps/apps#get-a-repository-installation-for-the-authenticated-app", func(k *kit) {
				for _, path := range []string{
					fmt.Sprintf("/app/installations/%d", k.install), "/repos/acme/app/installation", "/orgs/acme/installation",
					"/users/acme/installation",
				} {
					status, answer := k.as("app").send("GET", path, "")
					require.Equal(k, 200, status, path)
					require.Equal(k, float64(k.install), answer["id"], path)
				}
				_, answer := k.as("app").send("GET", "/app/installations", "")
				require.Equal(k, float64(k.install), dig(answer, "items", 0, "id"))
				status, _ := k.as("app").send("GET", "/apps/waybill", "")
				require.Equal(k, 200, status)
				status, _ = k.as("app").send("DELETE", fmt.Sprintf("/app/installations/%d", k.install), "")
				require.Equal(k, 204, status)
				k.refused(k.as("app"), "GET", "/repos/acme/app/installation", "", 404, "Not Found")
			}},
		{
			"makes the App of a manifest, and changes the code for its secrets, once and within an hour",
			"documented: apps/sharing-github-apps/registering-a-github-app-from-a-manifest", provesManifestFlow,
		},
		{
			"changes the code of the web flow for a user token, once",
			docsApps + "generating-a-user-access-token-for-a-github-app",
			provesWebFlow,
		},
		{
			"signs people in with the client of an App made of a manifest, and sends them back to its callback URLs only",
			"documented: apps/maintaining-github-apps/troubleshooting-authorization-request-errors", provesCallbacks,
		},
		{"answers a request for its addresses without credentials",
			"documented: rest/meta/meta#get-github-meta-information", func(k *kit) {
				status, _ := k.as("").send("GET", "/meta", "")
				require.Equal(k, 200, status)
			}},
	}
}

// refused requires that a request is answered with a status and a message.
func (k *kit) refused(p *plain, method, path, body string, status int, message string) {
	k.Helper()
	got, answer := p.send(method, path, body)
	require.Equal(k, message, answer["message"], "%s %s: %v", method, path, answer)
	require.Equal(k, status, got, "%s %s", method, path)
}

// bot returns a plain client with an unrestricted installation token.
func (k *kit) bot() *plain {
	k.Helper()
	return k.as(k.token(""))
}

func provesJWTRules(k *kit) {
	now := time.Now()
	iss := strconv.FormatInt(k.AppID(), 10)
	for reason, claims := range map[string]jwt.MapClaims{
		"expired":     {"iss": iss, "iat": now.Add(-20 * time.Minute).Unix(), "exp": now.Add(-time.Minute).Unix()},
		"too long":    {"iss": iss, "iat": now.Unix(), "exp": now.Add(15 * time.Minute).Unix()},
		"from future": {"iss": iss, "iat": now.Add(5 * time.Minute).Unix(), "exp": now.Add(8 * time.Minute).Unix()},
		"no exp":      {"iss": iss, "iat": now.Unix()},
	} {
		status, answer := (&plain{kit: k, header: "Bearer " + k.signed(claims)}).send("GET", "/app", "")
		require.Equal(k, http.StatusUnauthorized, status, "%s: %v", reason, answer)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(k, err)
	claims := jwt.MapClaims{"iss": iss, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
	foreign, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(other)
	require.NoError(k, err)
	k.refused(&plain{kit: k, header: "Bearer " + foreign}, "GET", "/app", "", 401, "A JSON web token could not be decoded")
	symmetric, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(k.PrivateKeyPEM()))
	require.NoError(k, err)
	k.refused(&plain{kit: k, header: "Bearer " + symmetric}, "GET", "/app", "", 401,
		"A JSON web token could not be decoded")
}

// browse requests a page as a browser and returns the redirect.
func (k *kit) browse(method, path, form string) *http.Response {
	k.Helper()
	request, err := http.NewRequestWithContext(k.Context(), method, k.URL()+path, strings.NewReader(form))
	require.NoError(k, err)
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(k, err)
	k.Cleanup(func() { response.Body.Close() })
	return response
}

func provesManifestFlow(k *kit) {
	const page = "/organizations/acme/settings/apps"
	// create fills in GitHub's page for a manifest, and returns the code that comes back.
	create := func(manifest string) string {
		k.Helper()
		form := "manifest=" + url.QueryEscape(manifest) + "&state=s1"
		require.Equal(k, http.StatusOK, k.browse("POST", page+"/new", form).StatusCode)
		response := k.browse("POST", page, form)
		require.Equal(k, http.StatusFound, response.StatusCode)
		location, err := response.Location()
		require.NoError(k, err)
		require.Equal(k, "s1", location.Query().Get("state"))
		return "/app-manifests/" + location.Query().Get("code") + "/conversions"
	}
	const good = `{"url": "https://example.com", "redirect_url": "http://127.0.0.1/back",
		"default_permissions": {"contents": "write"}, "default_events": ["push"]}`
	path := create(good)
	status, app := k.as("").send("POST", path, "")
	require.Equal(k, http.StatusCreated, status)
	require.Equal(k, k.PrivateKeyPEM(), app["pem"])
	require.Equal(k, k.WebhookSecret(), app["webhook_secret"])
	require.Equal(k, map[string]any{"contents": "write", "metadata": "read"}, app["permissions"])
	require.Equal(k, []any{"push"}, app["events"])
	k.refused(k.as(""), "POST", path, "", 404, "Not Found")

	path = create(good)
	k.clock.Advance(time.Hour)
	k.refused(k.as(""), "POST", path, "", 404, "Not Found")

	for _, bad := range []string{
		"{", `{"redirect_url": "http://127.0.0.1/back"}`,
		strings.Replace(good, `["push"]`, `["push", "team"]`, 1),
		strings.Replace(good, "{", `{"name": "a name of more than thirty-four letters",`, 1),
	} {
		response := k.browse("POST", page+"/new", "manifest="+url.QueryEscape(bad))
		require.Equal(k, http.StatusUnprocessableEntity, response.StatusCode, bad)
	}
	nobody := k.browse("POST", "/organizations/nobody/settings/apps/new", "manifest="+url.QueryEscape(good))
	require.Equal(k, http.StatusNotFound, nobody.StatusCode)
}

func provesCallbacks(k *kit) {
	k.SignInAs("ann")
	const back = "https://waybill.example.com/auth/github/callback"
	response := k.browse("POST", "/settings/apps", "manifest="+url.QueryEscape(
		`{"url": "https://waybill.example.com", "redirect_url": "http://127.0.0.1/back", "callback_urls": ["`+back+`"]}`))
	location, err := response.Location()
	require.NoError(k, err)
	_, app := k.as("").send("POST", "/app-manifests/"+location.Query().Get("code")+"/conversions", "")
	sent := func(to string) *url.URL {
		k.Helper()
		location, err := k.browse("GET", "/login/oauth/authorize?"+url.Values{
			"client_id": {fmt.Sprint(app["client_id"])}, "redirect_uri": {to}, "state": {"s3"}}.Encode(), "").Location()
		require.NoError(k, err)
		require.Equal(k, "s3", location.Query().Get("state"))
		require.True(k, strings.HasPrefix(location.String(), back+"?"), location)
		return location
	}
	require.Equal(k, "redirect_uri_mismatch", sent("https://attacker.example/").Query().Get("error"))
	form := url.Values{"client_id": {fmt.Sprint(app["client_id"])}, "client_secret": {fmt.Sprint(app["client_secret"])},
		"code": {sent(back).Query().Get("code")}}
	body, err := io.ReadAll(k.browse("POST", "/login/oauth/access_token", form.Encode()).Body)
	require.NoError(k, err)
	require.Contains(k, string(body), "token_type=bearer")
}

func provesWebFlow(k *kit) {
	server, err := Start(Options{OAuth: OAuth{ClientID: "id", ClientSecret: "secret", As: "ann"}, Unchecked: true})
	require.NoError(k, err)
	defer server.Close()
	web := &kit{T: k.T, Server: server}
	location, err := web.browse("GET",
		"/login/oauth/authorize?client_id=id&state=s2&redirect_uri=http%3A%2F%2F127.0.0.1%2Fback", "").Location()
	require.NoError(k, err)
	code := location.Query().Get("code")
	require.Equal(k, "s2", location.Query().Get("state"))

	read := func(form string) string {
		body := make([]byte, 4096)
		n, _ := web.browse("POST", "/login/oauth/access_token", form).Body.Read(body)
		return string(body[:n])
	}
	require.Contains(k, read("client_id=id&client_secret=wrong&code=none"), "error=incorrect_client_credentials")
	answer := read("client_id=id&client_secret=secret&code=" + code)
	require.Contains(k, answer, "token_type=bearer")
	require.Contains(k, read("client_id=id&client_secret=secret&code="+code), "error=bad_verification_code")
	sum := sha256.Sum256([]byte("verifier"))
	location, err = web.browse("GET",
		"/login/oauth/authorize?client_id=id&redirect_uri=http%3A%2F%2F127.0.0.1%2Fback"+
			"&code_challenge_method=S256&code_challenge="+
			base64.RawURLEncoding.EncodeToString(sum[:]), "").Location()
	require.NoError(k, err)
	require.Contains(k, read("client_id=id&client_secret=secret&code_verifier=other&code="+location.Query().Get("code")),
		"error=bad_verification_code")
	token, _, _ := strings.Cut(strings.TrimPrefix(answer, "access_token="), "&")
	status, user := web.as(token).send("GET", "/user", "")
	require.Equal(k, 200, status)
	require.Equal(k, "ann", user["login"])
}
