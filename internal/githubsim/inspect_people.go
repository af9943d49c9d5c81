package githubsim

import "time"

// Review is a review of a pull request as a test looks at it.
type Review struct {
	ID          int64
	Author      string
	State       string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING
	Body        string
	SHA         string
	SubmittedAt time.Time
}

// Reviews lists the reviews of a pull request, oldest first.
func (s *Server) Reviews(repo string, number int) []Review {
	var reviews []Review
	s.read(repo, func(_ *Hub, r *repository) {
		p, missing := r.findPull(number)
		if missing != nil {
			return
		}
		for _, one := range p.reviews {
			reviews = append(reviews, Review{
				ID: one.id, Author: one.author.login, State: one.state, Body: one.body, SHA: one.commit, SubmittedAt: one.submitted,
			})
		}
	})
	return reviews
}

// Permission is what a person may do in a repository: none, read, triage, write, maintain or admin. A stranger may nothing.
func (s *Server) Permission(repo, login string) string {
	level := "none"
	s.read(repo, func(w *Hub, r *repository) {
		if a, found := w.Accounts.Find(login); found {
			level = r.level(a)
		}
	})
	return level
}

// MayAct reports whether a person's permission on a repository is a level or above it.
func (s *Server) MayAct(repo, login, level string) bool {
	return levelRank(s.Permission(repo, login)) >= levelRank(level)
}

// Label is a label of a repository as a test looks at it.
type Label struct {
	Name        string
	Color       string // six hexadecimal digits
	Description string
}

// Labels lists the labels that a repository knows, oldest first.
func (s *Server) Labels(repo string) []Label {
	var labels []Label
	s.read(repo, func(_ *Hub, r *repository) {
		for _, l := range r.labels {
			labels = append(labels, Label{Name: l.name, Color: l.color, Description: l.description})
		}
	})
	return labels
}

// AccountID returns the numeric id of an account, which renames do not change; 0 if there is none of that name.
func (s *Server) AccountID(login string) int64 {
	s.hub.Lock()
	defer s.hub.Unlock()
	if a, found := s.hub.Accounts.Find(login); found {
		return a.id
	}
	return 0
}
