package githubsim

import (
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// push points a reference at a commit and does everything that follows on GitHub: the push and create events, check suites for
// the Apps that write checks, new heads and new bases of pull requests.
func (w *world) push(r *repository, ref, sha string, who *account) error {
	before, existed := r.git.Ref(ref)
	if !existed {
		before = gitstore.Zero
	}
	if err := r.git.SetRef(ref, sha); err != nil {
		return fmt.Errorf("push %s to %s: %w", sha, r.fullName(), err)
	}
	if before == sha {
		return nil
	}
	r.pushed = w.now()
	if !existed {
		w.emitRefEvent(r, "create", ref, who)
	}
	w.emitPush(r, ref, before, sha, who)
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch {
		return nil
	}
	w.suiteOnPush(r, branch, sha, before, who)
	if err := w.headMoved(r, branch, sha, before, who); err != nil {
		return err
	}
	return w.baseMoved(r, branch, sha, who)
}

// deleteRef removes a reference; pull requests from a deleted branch are closed.
func (w *world) deleteRef(r *repository, ref string, who *account) error {
	before, existed := r.git.Ref(ref)
	if !existed {
		return invalid("Reference does not exist")
	}
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if isBranch && branch == r.defaultBranch {
		return invalid("Cannot delete the default branch")
	}
	if err := r.git.DeleteRef(ref); err != nil {
		return err
	}
	w.emitRefEvent(r, "delete", ref, who)
	w.emitPush(r, ref, before, gitstore.Zero, who)
	if !isBranch {
		return nil
	}
	for _, p := range w.pullsFrom(r, branch) {
		if err := w.closePull(p.repo, p, who); err != nil {
			return err
		}
	}
	for _, p := range r.openPulls() {
		if p.baseRef != branch {
			continue
		}
		if err := w.closePull(r, p, who); err != nil {
			return err
		}
	}
	return nil
}

// guardWorkflows refuses what GitHub lets no App push without the permission "workflows".
func (w *world) guardWorkflows(who caller, r *repository, before, after string) error {
	if who.kind != asInstallation || may(who.grant.permissions, "workflows", "write") {
		return nil
	}
	changes, err := r.git.Paths(before, after)
	if err != nil {
		return err
	}
	for _, change := range changes {
		if strings.HasPrefix(change.Path, ".github/workflows/") {
			return refuse(http.StatusForbidden, "refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission", change.Path)
		}
	}
	return nil
}

// emitPush sends the push event with the commits that are new on the branch.
func (w *world) emitPush(r *repository, ref, before, after string, who *account) {
	gone, fresh := after == gitstore.Zero, before == gitstore.Zero
	payload := obj{
		"ref": ref, "before": before, "after": after, "created": fresh, "deleted": gone, "forced": false, "base_ref": nil,
		"compare": w.htmlURL(r, "/compare/"+before+"..."+after), "commits": []any{}, "head_commit": nil,
		"pusher": obj{"name": who.login, "email": who.email()},
	}
	if !gone {
		payload["head_commit"] = w.pushedCommitJSON(r, after)
		commits := []any{}
		for _, c := range r.pushedCommits(ref, before, after) {
			commits = append(commits, w.pushedCommitJSON(r, c.SHA))
		}
		payload["commits"] = commits
		payload["forced"] = !fresh && !r.git.IsAncestor(before, after)
	}
	w.emitRepo(r, "push", "", who, payload)
}

// pushedCommits lists what a push brought: for a new branch, what the default branch does not have.
func (r *repository) pushedCommits(ref, before, after string) []gitstore.Commit {
	if before != gitstore.Zero {
		return r.git.Between(before, after)
	}
	if main, found := r.git.Branch(r.defaultBranch); found && ref != "refs/heads/"+r.defaultBranch {
		return r.git.Between(main, after)
	}
	return nil
}

func (w *world) pushedCommitJSON(r *repository, sha string) obj {
	c, err := r.git.Commit(sha)
	if err != nil {
		return nil
	}
	added, removed, modified := []string{}, []string{}, []string{}
	if len(c.Parents) > 0 {
		changes, err := r.git.Paths(c.Parents[0], sha)
		if err != nil {
			return nil
		}
		for _, change := range changes {
			switch {
			case change.Old == "":
				added = append(added, change.Path)
			case change.New == "":
				removed = append(removed, change.Path)
			default:
				modified = append(modified, change.Path)
			}
		}
	}
	person := func(p gitstore.Person) obj {
		return obj{"name": p.Name, "email": p.Email, "username": p.Name, "date": stamp(p.When)}
	}
	return obj{
		"id": sha, "tree_id": c.Tree, "distinct": true, "message": c.Message, "timestamp": stamp(c.Committer.When),
		"url": w.htmlURL(r, "/commit/"+sha), "author": person(c.Author), "committer": person(c.Committer),
		"added": added, "removed": removed, "modified": modified,
	}
}

// emitRefEvent sends create and delete for branches and tags.
func (w *world) emitRefEvent(r *repository, event, ref string, who *account) {
	kind, name := "branch", strings.TrimPrefix(ref, "refs/heads/")
	if tag, isTag := strings.CutPrefix(ref, "refs/tags/"); isTag {
		kind, name = "tag", tag
	}
	payload := obj{"ref": name, "ref_type": kind, "pusher_type": "user"}
	if event == "create" {
		payload["master_branch"], payload["description"] = r.defaultBranch, nil
	}
	w.emitRepo(r, event, "", who, payload)
}

// commitFiles commits a change of files on top of a branch's head and pushes it. A nil content deletes the file.
func (w *world) commitFiles(r *repository, branch string, who *account, message string, files map[string]*string) (string, error) {
	head, _ := r.git.Branch(branch)
	sha, err := w.writeFiles(r, head, who, message, files)
	if err != nil {
		return "", err
	}
	return sha, w.push(r, "refs/heads/"+branch, sha, who)
}

// writeFiles makes a commit on top of parent (empty for none) without any reference.
func (w *world) writeFiles(r *repository, parent string, who *account, message string, files map[string]*string) (string, error) {
	var changes []gitstore.Entry
	for _, path := range sortedKeys(files) {
		change := gitstore.Entry{Mode: gitstore.ModeFile, Name: path}
		if content := files[path]; content != nil {
			change.SHA = r.git.WriteBlob([]byte(*content))
		}
		changes = append(changes, change)
	}
	base, parents := "", []string(nil)
	if parent != "" {
		base, parents = r.treeOf(parent), []string{parent}
	}
	tree, err := r.git.Edit(base, changes)
	if err != nil {
		return "", err
	}
	author := w.signature(who)
	return r.git.WriteCommit(gitstore.Commit{Tree: tree, Parents: parents, Author: author, Committer: author, Message: message})
}

// signature is an account as the author of a commit made now.
func (w *world) signature(who *account) gitstore.Person {
	return gitstore.Person{Name: who.login, Email: who.email(), When: w.now()}
}

// webFlow is the committer of commits that GitHub makes itself.
func (w *world) webFlow() gitstore.Person {
	return gitstore.Person{Name: "GitHub", Email: "noreply@github.com", When: w.now()}
}
