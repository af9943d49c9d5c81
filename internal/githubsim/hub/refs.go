package hub

import (
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// Refs owns the references of all repositories. Every change of a reference goes through it.
type Refs struct {
	clock  *Clock
	events *Events
	lag    *Lag
	// Unsigned has GitHub sign nothing that it commits, as an Enterprise Server without web commit signing.
	Unsigned bool
	// pushed and deleted are called after a branch has moved or was deleted.
	pushed  []func(Push) error
	deleted []func(r *Repository, branch string, who *Account) error
	// renamed is called after a branch has its new name, and before it loses the old one.
	renamed func(r *Repository, from, to string, who *Account) error
}

// Push points a reference at a commit and triggers the consequences that it has on GitHub: the push and create events,
// check suites for the Apps that write checks, new heads and new bases of pull requests.
func (fs *Refs) Push(r *Repository, ref, sha string, who *Account) error {
	return fs.push(r, ref, sha, who, "")
}

// push is Push with the type of the change in the activity of the repository; "": what it does says that.
func (fs *Refs) push(r *Repository, ref, sha string, who *Account, as string) error {
	before, existed := r.git.Ref(ref)
	if !existed {
		before = gitstore.Zero
	}
	if err := r.git.SetRef(ref, sha); err != nil {
		return fmt.Errorf("push %s to %s: %w", sha, r.FullName(), err)
	}
	if before == sha {
		return nil
	}
	r.Pushed = fs.clock.Now()
	if !existed {
		fs.events.OfRepo(r, "create", "", who, RefChange{ref}, nil)
	}
	pushed := Push{Repo: r, Ref: ref, Before: before, After: sha, Who: who}
	fs.note(pushed, as)
	fs.events.OfRepo(r, "push", "", who, pushed, nil)
	if !strings.HasPrefix(ref, "refs/heads/") {
		return nil
	}
	for _, follow := range fs.pushed {
		if err := follow(pushed); err != nil {
			return err
		}
	}
	return nil
}

// Remove is a Delete that the protection of the branch may refuse.
func (fs *Refs) Remove(who Caller, r *Repository, ref string) error {
	if protection, protected := r.protectionOf(ref); protected && protection.Deletion && !protection.Passes(who.Account) {
		return Invalid("%sCannot delete this protected ref.", violations)
	}
	return fs.Delete(r, ref, who.Account)
}

// Delete removes a reference; pull requests from a deleted branch are closed.
func (fs *Refs) Delete(r *Repository, ref string, who *Account) error {
	before, existed := r.git.Ref(ref)
	if !existed {
		return Invalid("Reference does not exist")
	}
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if isBranch && branch == r.git.DefaultBranch() {
		return Invalid("Cannot delete the default branch")
	}
	if err := r.git.DeleteRef(ref); err != nil {
		return err
	}
	gone := Push{Repo: r, Ref: ref, Before: before, After: gitstore.Zero, Who: who}
	fs.note(gone, "")
	fs.events.OfRepo(r, "delete", "", who, RefChange{ref}, nil)
	fs.events.OfRepo(r, "push", "", who, gone, nil)
	if !isBranch {
		return nil
	}
	for _, follow := range fs.deleted {
		if err := follow(r, branch, who); err != nil {
			return err
		}
	}
	return nil
}

// RefNotUpdated is GitHub's message if Git itself refuses a name, such as one below an existing branch.
const RefNotUpdated = "Reference update failed"

// New creates a reference, as REST and GraphQL both do.
func (fs *Refs) New(who Caller, r *Repository, ref, sha string) error {
	if !strings.HasPrefix(ref, "refs/") || strings.Count(ref, "/") < 2 {
		return Invalid("Reference name must start with 'refs/' and have at least two slashes")
	}
	if !gitstore.ValidRefName(ref) {
		return Invalid("%s is not a valid ref name.", ref)
	}
	if _, exists := r.git.Ref(ref); exists {
		return Invalid("Reference already exists")
	}
	if !r.Seen().Has(gitstore.KindCommit, sha) {
		return Invalid("Object does not exist")
	}
	if protection, protected := r.protectionOf(ref); protected && protection.Creation && !protection.Passes(who.Account) {
		return Invalid("%sCannot create ref due to creations being restricted.", violations)
	}
	if main, found := r.git.Branch(r.git.DefaultBranch()); found {
		if err := fs.GuardWorkflows(who, r, r.git.BaseOf(main, sha), sha); err != nil {
			return err
		}
	}
	if err := fs.Push(r, ref, sha, who.Account); err != nil {
		return Invalid(RefNotUpdated)
	}
	return nil
}

// Move moves a reference, as REST and GraphQL both do.
func (fs *Refs) Move(who Caller, r *Repository, ref, sha string, force bool) error {
	before, exists := r.git.Ref(ref)
	if !exists {
		return Invalid("Reference does not exist")
	}
	if !r.Seen().Has(gitstore.KindCommit, sha) {
		return Invalid("Object does not exist")
	}
	forward := r.git.IsAncestor(before, sha)
	if !force && !forward {
		return Invalid("Update is not a fast forward")
	}
	if err := fs.GuardBranch(who, r, ref); err != nil {
		return err
	}
	if err := fs.guardCommits(who, r, ref, r.git.Between(before, sha), forward); err != nil {
		return err
	}
	if err := fs.GuardWorkflows(who, r, before, sha); err != nil {
		return err
	}
	return fs.Push(r, ref, sha, who.Account)
}

// GuardBranch refuses direct pushes to a branch whose protection requires checks or pull requests, with one sentence
// for each reason.
func (fs *Refs) GuardBranch(who Caller, r *Repository, ref string) error {
	protection, protected := r.protectionOf(ref)
	if !protected || protection.Passes(who.Account) {
		return nil
	}
	var reasons []string
	if protection.Update {
		reasons = append(reasons, cannotUpdate)
	}
	switch n := len(protection.RequiredChecks); {
	case n == 1:
		reasons = append(reasons, fmt.Sprintf("Required status check %q is expected.", protection.RequiredChecks[0]))
	case n > 1:
		reasons = append(reasons, fmt.Sprintf("%d of %d required status checks are expected.", n, n))
	}
	if protection.ReviewsPulls() {
		reasons = append(reasons, "Changes must be made through a pull request.")
	}
	if protection.MergeQueue {
		reasons = append(reasons, mergeQueueOnly)
	}
	if len(reasons) == 0 {
		return nil
	}
	return Invalid("%s", strings.Join(reasons, " "))
}

// GuardWorkflows refuses changes of workflows by Apps without the permission "workflows".
func (fs *Refs) GuardWorkflows(who Caller, r *Repository, before, after string) error {
	if who.Kind != AsInstallation || May(who.Grant.Permissions, "workflows", "write") {
		return nil
	}
	changes, err := r.git.Paths(before, after)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if strings.HasPrefix(change.Path, ".github/workflows/") {
			return Refuse(http.StatusForbidden,
				"refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission", change.Path)
		}
	}
	return nil
}

// CommitFiles commits a change of files on top of a branch's head and pushes it. A nil content deletes the file.
func (fs *Refs) CommitFiles(r *Repository, branch string, who *Account, message string,
	files map[string]*string) (string, error) {
	head, _ := r.git.Branch(branch)
	sha, err := fs.WriteFiles(r, head, who, message, files)
	if err != nil {
		return "", err
	}
	return sha, fs.Push(r, "refs/heads/"+branch, sha, who)
}

// WriteFiles makes a commit on top of parent (empty for none) without any reference.
func (fs *Refs) WriteFiles(r *Repository, parent string, who *Account, message string,
	files map[string]*string) (string, error) {
	by := fs.Signature(who)
	return fs.WriteFilesAs(r, parent, gitstore.Commit{Author: by, Committer: by, Message: message}, files)
}

// WriteFilesAs is WriteFiles with a commit that says who has made it.
func (fs *Refs) WriteFilesAs(r *Repository, parent string, says gitstore.Commit,
	files map[string]*string) (string, error) {
	var changes []gitstore.Entry
	for _, path := range SortedKeys(files) {
		change := gitstore.Entry{Mode: gitstore.ModeFile, Name: path}
		if content := files[path]; content != nil {
			change.SHA = r.git.WriteBlob([]byte(*content))
		}
		changes = append(changes, change)
	}
	base, parents := "", []string(nil)
	if parent != "" {
		base, parents = r.git.TreeOf(parent), []string{parent}
	}
	tree, err := r.git.Edit(base, changes)
	if err != nil {
		return "", err
	}
	says.Tree, says.Parents = tree, parents
	return r.git.WriteCommit(says)
}

// WriteMerge makes the commit of a clean merge.
func (fs *Refs) WriteMerge(r *Repository, m gitstore.Merge, into, from string, who *Account,
	message string) (string, error) {
	return r.git.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []string{into, from}, Author: fs.Signature(who), Committer: fs.WebFlow(), Message: message,
	})
}

// Signature returns an account as the author of a commit made now.
func (fs *Refs) Signature(who *Account) gitstore.Person {
	return gitstore.Person{Name: who.Login, Email: who.Email(), When: fs.clock.Now()}
}

// WebFlow returns the committer of commits that GitHub makes itself.
func (fs *Refs) WebFlow() gitstore.Person {
	email := "noreply@github.com"
	if fs.Unsigned {
		email = "noreply@github.invalid"
	}
	return gitstore.Person{Name: "GitHub", Email: email, When: fs.clock.Now()}
}
