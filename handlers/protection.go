package handlers

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// callback is the end of the address at which GitHub wants to be told whether a job may go on.
var callback = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/actions/runs/(\d{1,18})/deployment_protection_rule$`)
})

// protectedJob decodes that a job waits before an environment until we let it go on. Of the address for the answer only
// the number of the run counts: where GitHub is we know ourselves (T29).
func (us Self) protectedJob(e *github.DeploymentProtectionRuleEvent, body []byte) (Told, error) {
	f := us.about(e.GetRepo(), e.GetInstallation(), e.GetSender())
	var said struct {
		SHA promotion.SHA `json:"sha"` // go-github v60 does not know it
	}
	run := callback().FindStringSubmatch(e.GetDeploymentCallbackURL())
	if !f.named() || e.GetEnvironment() == "" || run == nil || json.Unmarshal(body, &said) != nil {
		return Told{}, incomplete("deployment_protection_rule")
	}
	if said.SHA == "" {
		said.SHA = promotion.SHA(e.GetDeployment().GetSHA())
	}
	id, err := strconv.ParseInt(run[1], 10, 64)
	f.tell(&ProtectedJob{Run: id, Environment: e.GetEnvironment(), SHA: said.SHA})
	return f, err
}
