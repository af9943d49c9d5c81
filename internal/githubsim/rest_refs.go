package githubsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

func refRoutes(t *table) {
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/ref/{ref}", showRef)
	t.with("contents:read", "GET /repos/{owner}/{repo}/git/matching-refs/{ref}", listRefs)
	t.with("contents:write", "POST /repos/{owner}/{repo}/git/refs", createRef)
	t.with("contents:write", "PATCH /repos/{owner}/{repo}/git/refs/{ref}", updateRef)
	t.with("contents:write", "DELETE /repos/{owner}/{repo}/git/refs/{ref}", removeRef)
}

func (v *Render) Ref(r *repository, ref string) obj {
	sha, _ := r.git.Ref(ref)
	kind, err := r.git.Kind(sha)
	if err != nil {
		return nil
	}
	return obj{
		"ref": ref, "node_id": nodeID("REF", r.id) + ":" + ref, "url": v.API(r, "/git/"+ref),
		"object": obj{"sha": sha, "type": kind, "url": v.API(r, "/git/"+kind+"s/"+sha)},
	}
}

func showRef(c *call) (reply, error) {
	ref := "refs/" + c.params["ref"]
	if _, found := c.repo.git.Ref(ref); !found {
		return reply{}, notFound()
	}
	return ok(c.Render.Ref(c.repo, ref)), nil
}

func listRefs(c *call) (reply, error) {
	return list(c, c.repo.git.Refs("refs/"+c.params["ref"]), func(ref string) any { return c.Render.Ref(c.repo, ref) }), nil
}

func createRef(c *call) (reply, error) {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.Refs.New(c.who, c.repo, in.Ref, in.SHA); err != nil {
		return reply{}, err
	}
	out := created(c.Render.Ref(c.repo, in.Ref))
	out.header = http.Header{"Location": {c.Render.API(c.repo, "/git/"+in.Ref)}}
	return out, nil
}

// refNotUpdated is all that GitHub says when Git itself refuses a name, such as one below an existing branch.
const refNotUpdated = "Reference update failed"

// newRef creates a reference, as REST and GraphQL both do.
func (fs *Refs) New(who caller, r *repository, ref, sha string) error {
	if !strings.HasPrefix(ref, "refs/") || strings.Count(ref, "/") < 2 {
		return invalid("Reference name must start with 'refs/' and have at least two slashes")
	}
	if !gitstore.ValidRefName(ref) {
		return invalid("%s is not a valid ref name.", ref)
	}
	if _, exists := r.git.Ref(ref); exists {
		return invalid("Reference already exists")
	}
	if !r.git.Has(gitstore.KindCommit, sha) {
		return invalid("Object does not exist")
	}
	if main, found := r.git.Branch(r.defaultBranch); found {
		if err := fs.GuardWorkflows(who, r, mergeBaseOr(r, main, sha), sha); err != nil {
			return err
		}
	}
	if err := fs.Push(r, ref, sha, who.account); err != nil {
		return invalid(refNotUpdated)
	}
	return nil
}

func mergeBaseOr(r *repository, a, b string) string {
	if base, found := r.git.MergeBase(a, b); found {
		return base
	}
	return a
}

func updateRef(c *call) (reply, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	ref := "refs/" + c.params["ref"]
	if err := c.Refs.Move(c.who, c.repo, ref, in.SHA, in.Force); err != nil {
		return reply{}, err
	}
	return ok(c.Render.Ref(c.repo, ref)), nil
}

// moveRef updates a reference, as REST and GraphQL both do.
func (fs *Refs) Move(who caller, r *repository, ref, sha string, force bool) error {
	before, exists := r.git.Ref(ref)
	if !exists {
		return invalid("Reference does not exist")
	}
	if !r.git.Has(gitstore.KindCommit, sha) {
		return invalid("Object does not exist")
	}
	if !force && !r.git.IsAncestor(before, sha) {
		return invalid("Update is not a fast forward")
	}
	if err := fs.GuardBranch(who, r, ref); err != nil {
		return err
	}
	if err := fs.GuardWorkflows(who, r, before, sha); err != nil {
		return err
	}
	return fs.Push(r, ref, sha, who.account)
}

// guardBranch refuses direct pushes to a branch whose protection demands checks or pull requests, with all reasons in one sentence each.
func (fs *Refs) GuardBranch(who caller, r *repository, ref string) error {
	protection, protected := r.protections[strings.TrimPrefix(ref, "refs/heads/")]
	if !protected || slices.Contains(protection.Bypass, who.account.login) {
		return nil
	}
	var reasons []string
	switch n := len(protection.RequiredChecks); {
	case n == 1:
		reasons = append(reasons, fmt.Sprintf("Required status check %q is expected.", protection.RequiredChecks[0]))
	case n > 1:
		reasons = append(reasons, fmt.Sprintf("%d of %d required status checks are expected.", n, n))
	}
	if protection.RequiredReviews > 0 {
		reasons = append(reasons, "Changes must be made through a pull request.")
	}
	if protection.MergeQueue {
		reasons = append(reasons, mergeQueueOnly)
	}
	if len(reasons) == 0 {
		return nil
	}
	return invalid("%s", strings.Join(reasons, " "))
}

func removeRef(c *call) (reply, error) {
	if err := c.Refs.Delete(c.repo, "refs/"+c.params["ref"], c.who.account); err != nil {
		return reply{}, err
	}
	return nothing(), nil
}
