package health

import (
	"fmt"
	"net/http"

	"waybill/app/api"
	"waybill/app/gh"
)

// webhooks checks that GitHub's webhooks arrive, by what GitHub says of its attempts.
func webhooks(f *facts) (all []api.Finding) {
	found := api.Finding{Check: "webhook", State: api.StateFail, Link: f.app.Settings,
		Off: "webhooks: everything is known at the next resync only, and commands never"}
	newest, failures := newestAttempt(f.attempts)
	switch {
	case f.appErr != nil:
		return nil
	case f.attemptsErr != nil:
		found.Says, found.State, found.Off, found.Link = f.attemptsErr.Error(), api.StateWarn, "", ""
	case newest == nil:
		found.State, found.Says, found.Off = api.StateWarn, "GitHub has delivered nothing in the last day", ""
		found.Do = "If something has happened, check that the webhook is active in the App's settings, and its URL"
	case !newest.Accepted():
		found.Says = fmt.Sprintf("GitHub's last webhook, %s, was not taken: %s", ago(f.now, newest.At), cause(newest.Code))
		found.Do = remedy(newest.Code)
	case failures > 0:
		return append(f.sweeps(), fine("webhook", "", "the last one came %s; of those of the last day %d were not taken at "+
			"first, and %d are still missing", ago(f.now, newest.At), failures, f.missed))
	default:
		return append(f.sweeps(), fine("webhook", "", "the last one came %s", ago(f.now, newest.At)))
	}
	if !f.received.IsZero() {
		found.Says += fmt.Sprintf("; the last that was taken came %s", ago(f.now, f.received))
	}
	return append(f.sweeps(), found)
}

// newestAttempt returns the newest attempt that has an answer, and how many of all failed.
func newestAttempt(all []gh.Attempt) (newest *gh.Attempt, failures int) {
	for i := range all {
		switch {
		case all[i].Code == 0:
			continue
		case newest == nil:
			newest = &all[i]
		}
		if !all[i].Accepted() {
			failures++
		}
	}
	return newest, failures
}

// sweeps checks that GitHub can be asked for the webhooks that it could not deliver.
func (f *facts) sweeps() []api.Finding {
	if f.sweep.Error == "" {
		return nil
	}
	return []api.Finding{{Check: "webhook", State: api.StateFail,
		Says: "the search for lost webhooks fails: " + f.sweep.Error,
		Off:  "webhooks that GitHub could not deliver, until a resync", Do: "It is tried again by itself"}}
}

// cause says what an answer to GitHub means.
func cause(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return "it is signed with another secret"
	case http.StatusForbidden:
		return "it came from an address that is not GitHub's (WAYBILL_WEBHOOKS_FROM)"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("%d, its URL does not lead to Waybill", code)
	case http.StatusServiceUnavailable:
		return "503, the server could not store it"
	}
	return fmt.Sprintf("GitHub could not reach the server, or something in front of it answered %d", code)
}

// remedy says what to do about an answer to GitHub.
func remedy(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return "Put the same secret into the App's settings and into GITHUB_APP_WEBHOOK_SECRET"
	case http.StatusForbidden:
		return "Name the proxies in front of the server in WAYBILL_TRUSTED_PROXIES"
	case http.StatusServiceUnavailable:
		return "Look at the database below"
	}
	return "Set the Webhook URL in the App's settings to https://<this server>/api/github/hook, and look at the proxy"
}
