package githubsim

import (
	"cmp"
	"fmt"
	"strings"

	"waybill/internal/githubsim/hub"
)

// PullSpec is a pull request that a person opens.
type PullSpec struct {
	// Number is a free number for the pull request; 0 means the next one.
	Number int
	Title  string
	Body   string
	// Head is the branch to merge. If Files are given, the branch is created from the base (if it does not exist) and gets
	// them in one commit; a nil content deletes a file.
	Head   string
	Fork   bool   // Head is a branch of the author's fork, which is made if it does not exist
	Base   string // main by default
	Author string
	Draft  bool
	Files  map[string]*string
	Labels []string
}

// Text returns a file's content for PushFiles and PullSpec, where nil deletes the file.
func Text(content string) *string { return &content }

// OpenPull opens a pull request and returns its number.
func (d Developer) OpenPull(repo string, spec PullSpec) (int, error) {
	number := 0
	err := d.onRepo("open pull request in", repo, spec.Author,
		func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
			base := cmp.Or(spec.Base, r.Git().DefaultBranch())
			head := cmp.Or(spec.Head, fmt.Sprintf("%s/change-%d", strings.ToLower(spec.Author), max(spec.Number, r.Numbers+1)))
			from := r
			if spec.Fork {
				from = h.Repos.Fork(r, who)
			}
			if err := prepareHead(h.Refs, from, head, base, who, spec); err != nil {
				return err
			}
			title := cmp.Or(spec.Title, "Change by "+spec.Author)
			p, err := h.Pulls.Open(r, hub.PullSpec{
				Number: spec.Number, Title: title, Body: spec.Body, From: from, Head: head, Base: base, Draft: spec.Draft,
			}, who)
			if err != nil {
				return err
			}
			for _, name := range spec.Labels {
				h.Tracker.PutLabel(r, p.Issue, name, who)
			}
			number = p.Number
			return nil
		})
	return number, err
}

// prepareHead makes the branch of a pull request with its files.
func prepareHead(refs *hub.Refs, r *hub.Repository, head, base string, who *hub.Account, spec PullSpec) error {
	if len(spec.Files) == 0 {
		return nil
	}
	parent, exists := r.Git().Branch(head)
	if !exists {
		if parent, exists = r.Git().Branch(base); !exists {
			return fmt.Errorf("no branch %s", base)
		}
	}
	sha, err := refs.WriteFiles(r, parent, who, cmp.Or(spec.Title, "Change by "+spec.Author), spec.Files)
	if err != nil {
		return err
	}
	return refs.Push(r, "refs/heads/"+head, sha, who)
}

// onPull runs a change of a pull request by a person.
func (d Developer) onPull(what, repo string, number int, login string,
	change func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error) error {
	return d.onRepo(fmt.Sprintf("%s #%d of", what, number), repo, login,
		func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
			p, err := r.FindPull(number)
			if err != nil {
				return err
			}
			return change(h, r, p, who)
		})
}

// MergePull merges a pull request and returns the newest commit on the base branch. The method is merge, squash or
// rebase; if it is empty or switched off, it is one that the repository allows, squash first.
func (d Developer) MergePull(repo string, number int, login, method string) (string, error) {
	sha := ""
	err := d.onPull("merge", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			var err error
			sha, err = h.Merges.Merge(r, p, hub.MergeRequest{Method: r.MethodOf(method)}, who)
			return err
		})
	return sha, err
}

// ClosePull closes a pull request without merging.
func (d Developer) ClosePull(repo string, number int, login string) error {
	return d.onPull("close", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			if !p.Open {
				return nil
			}
			return h.Pulls.Close(r, p, who)
		})
}

// ReopenPull reopens a closed pull request whose branch still exists.
func (d Developer) ReopenPull(repo string, number int, login string) error {
	return d.onPull("reopen", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			return h.Pulls.Reopen(r, p, who)
		})
}

// RetargetPull changes the base branch of a pull request.
func (d Developer) RetargetPull(repo string, number int, login, base string) error {
	return d.onPull("retarget", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			return h.Pulls.Change(r, p, nil, nil, &base, nil, who)
		})
}

// LockPull locks the conversation of a pull request: only people with write access comment on it then, and no App.
func (d Developer) LockPull(repo string, number int, login string) error {
	return d.onPull("lock", repo, number, login,
		func(_ *hub.Hub, _ *hub.Repository, p *hub.Pull, _ *hub.Account) error {
			p.Locked = true
			return nil
		})
}

// SetDraft makes a pull request a draft, or ready for review.
func (d Developer) SetDraft(repo string, number int, login string, draft bool) error {
	return d.onPull("convert", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			h.Pulls.SetDraft(r, p, draft, who)
			return nil
		})
}

// Enqueue adds a pull request to the merge queue of its base branch.
func (d Developer) Enqueue(repo string, number int, login string) error {
	return d.onPull("enqueue", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			_, err := h.Queues.Enter(r, p, false, who)
			return err
		})
}

// Dequeue removes a pull request from its merge queue.
func (d Developer) Dequeue(repo string, number int, login string) error {
	return d.onPull("dequeue", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			e := r.EntryOf(p)
			if e == nil {
				return fmt.Errorf("it is not in the queue")
			}
			return h.Queues.Leave(r, e, hub.RemovedByHand, who)
		})
}

// EditPull changes a pull request's title and body.
func (d Developer) EditPull(repo string, number int, login, title, body string) error {
	return d.onPull("edit", repo, number, login, func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
		return h.Pulls.Change(r, p, &title, &body, nil, nil, who)
	})
}

// Review submits a review; state is APPROVED, CHANGES_REQUESTED or COMMENTED.
func (d Developer) Review(repo string, number int, login, state, body string) error {
	return d.onPull("review", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, p *hub.Pull, who *hub.Account) error {
			_, err := h.Pulls.Review(r, p, who, state, body)
			return err
		})
}

// AddLabel adds a label to an issue or pull request.
func (d Developer) AddLabel(repo string, number int, login, name string) error {
	return d.onIssue("label", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, i *hub.Issue, who *hub.Account) error {
			h.Tracker.PutLabel(r, i, name, who)
			return nil
		})
}

// RemoveLabel removes a label from an issue or pull request.
func (d Developer) RemoveLabel(repo string, number int, login, name string) error {
	return d.onIssue("unlabel", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, i *hub.Issue, who *hub.Account) error {
			h.Tracker.TakeLabel(r, i, name, who)
			return nil
		})
}

func (d Developer) onIssue(what, repo string, number int, login string,
	change func(h *hub.Hub, r *hub.Repository, i *hub.Issue, who *hub.Account) error) error {
	return d.onRepo(fmt.Sprintf("%s #%d of", what, number), repo, login,
		func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
			i := r.Issues[number]
			if i == nil {
				return hub.NotFound()
			}
			return change(h, r, i, who)
		})
}

// Comment writes a comment and returns its id.
func (d Developer) Comment(repo string, number int, login, body string) (int64, error) {
	var id int64
	err := d.onIssue("comment on", repo, number, login,
		func(h *hub.Hub, r *hub.Repository, i *hub.Issue, who *hub.Account) error {
			c, err := h.Tracker.Comment(r, i, who, nil, body)
			if err == nil {
				id = c.ID
			}
			return err
		})
	return id, err
}

// EditComment changes a comment's text.
func (d Developer) EditComment(repo string, id int64, login, body string) error {
	return d.onRepo("edit comment in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		c, err := r.Comment(id)
		if err != nil {
			return err
		}
		return h.Tracker.EditComment(r, c, who, body)
	})
}

// DeleteComment deletes a comment.
func (d Developer) DeleteComment(repo string, id int64, login string) error {
	return d.onRepo("delete comment in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		c, err := r.Comment(id)
		if err != nil {
			return err
		}
		h.Tracker.DeleteComment(r, c, who)
		return nil
	})
}

// CreateIssue opens an issue that is not a pull request and returns its number.
func (d Developer) CreateIssue(repo, login, title, body string) (int, error) {
	number := 0
	err := d.onRepo("open issue in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		i, err := h.Tracker.Open(r, 0, title, body, who)
		if err == nil {
			number = i.Number
		}
		return err
	})
	return number, err
}
