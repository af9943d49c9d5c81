package gh

import (
	"errors"
	"strings"
)

// ErrMisspelt is a no because a repository was asked for with other capitals than its own. It is always ErrNoAccess,
// too.
var ErrMisspelt = errors.New("the name has other capitals")

// misnamed is the error of a repository that has another name than the one it was asked by. GraphQL follows old names,
// which may be another owner's tomorrow (T22). It does not tell capitals apart either, but webhooks name a repository
// with its own, and what comes from there is compared with the name in the pipeline file.
func (c *Client) misnamed(called string) error {
	if strings.EqualFold(called, string(c.repo)) {
		return noAccess("GitHub spells it "+called+": name it so", ErrMisspelt)
	}
	return noAccess("the repository is called "+called+" by now: name it so", nil)
}
