package health

import (
	"fmt"
	"strings"

	"waybill/app/api"
)

// tokens checks that the repositories which tokens for the API are bound to have the names that the tokens name.
func tokens(f *facts) (all []api.Finding) {
	for _, bound := range f.scopes {
		for _, s := range f.pipelines {
			named := strings.EqualFold(string(s.Repo), string(bound.Repo))
			found := api.Finding{Check: "token", About: bound.Holder, State: api.StateWarn}
			switch {
			case named && s.ID != bound.ID:
				found.Says = fmt.Sprintf("another repository has the name %s by now", s.Repo)
				found.Off = "that repository for this token"
				found.Do = "Take it out of repos=; if it is the one that is meant, make another token"
			case !named && s.ID == bound.ID && !s.Repo.HasLeft():
				found.Says = fmt.Sprintf("%s is called %s by now", bound.Repo, s.Repo)
				found.Off = "that repository for this token"
				found.Do = "Name it so in repos="
			default:
				continue
			}
			all = append(all, found)
		}
	}
	return all
}
