package promotion

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Everything that Waybill makes on GitHub has a name by which it is found again after a crash or a lost answer:
// branches, pull requests, commits, runs of workflows, comments, deployments, check runs. Each pipeline numbers its
// promotions for itself, and several pipelines may write to one repository or take freight from one. So a name that
// people do not see always holds the pipeline, and a name that people see holds it everywhere but in the home
// repository. A pipeline is named by the id of its home repository, which renames do not change: a name is made anew at
// each try and must be the same each time.

// prefix begins the names of our branches and runs.
const prefix = "waybill/"

// Prefix begins the names that a pipeline gives in a repository: "waybill/" in its home, "waybill/@4711/" elsewhere. No
// stage is called "@4711", so that neither is the beginning of the other's names.
func (p *Pipeline) Prefix(in Repo) string {
	if in == p.Home {
		return prefix
	}
	return fmt.Sprintf("%s@%d/", prefix, p.ID)
}

// Marker is the hidden line by which a pull request is known to be that of a promotion.
func (p *Pipeline) Marker(n Number) string {
	return fmt.Sprintf("<!-- waybill:promotion=%d/%d -->", p.ID, n)
}

// Trailer is the line by which a commit in a repository names its promotion.
func (p *Pipeline) Trailer(in Repo, n Number) string {
	if in == p.Home {
		return fmt.Sprintf("Waybill-Promotion: %d", n)
	}
	return fmt.Sprintf("Waybill-Promotion: %d/%d", p.ID, n)
}

// traces finds what markers and trailers say: the pipeline, which may be left out, and the number.
var traces = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?m)^(?:<!-- waybill:promotion=|Waybill-Promotion: )(?:([0-9]{1,18})/)?([0-9]{1,18})(?: -->)?$`)
})

// NumberIn returns the number of the pipeline's promotion that made something in a repository, of which it has the
// text: the body of a pull request, or the message of a commit. It is 0 if no promotion of the pipeline did.
func (p *Pipeline) NumberIn(in Repo, text string) (n Number) {
	for _, found := range traces().FindAllStringSubmatch(text, -1) {
		if found[1] == strconv.FormatInt(p.ID, 10) || found[1] == "" && in == p.Home {
			if _, err := fmt.Sscan(found[2], &n); err == nil {
				return n
			}
		}
	}
	return 0
}

// StageOfBranch returns the stage of a promotion's branch, and the id of its pipeline; 0 is the pipeline that lives in
// the repository. The stage is "" if the branch is none of a promotion's.
func StageOfBranch(branch string) (pipeline int64, stage StageName) {
	rest, ours := strings.CutPrefix(branch, prefix)
	if id, inside, named := strings.Cut(rest, "/"); named && strings.HasPrefix(id, "@") {
		if _, err := fmt.Sscanf(id, "@%d", &pipeline); err != nil {
			return 0, ""
		}
		rest = inside
	}
	name, _, whole := strings.Cut(rest, "/")
	if !ours || !whole {
		return 0, ""
	}
	return pipeline, StageName(name)
}
