package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// LabelRequest is a person's request by a label on a pull request that is no freight yet.
type LabelRequest struct {
	Repo   promotion.Repo
	Number int
	Label  string
	Head   promotion.SHA // of the pull request when the label was put on
	By     promotion.Actor
	At     time.Time
}

// KeepLabel keeps a request until it is forgotten. Of several people who wish the same the last one counts: the label
// is there because of them.
func (rq Requests) KeepLabel(w LabelRequest) error {
	_, err := rq.tx.exec(`INSERT INTO label_requests (repo, number, label, head, actor_id, actor, asked_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (repo, number, label) DO UPDATE SET head = $4, actor_id = $5, actor = $6, asked_at = $7`,
		w.Repo, w.Number, w.Label, w.Head, w.By.ID, w.By.Login, micros(w.At))
	if err != nil {
		return fmt.Errorf("keep the wish %s of %s#%d: %w", w.Label, w.Repo, w.Number, err)
	}
	return nil
}

// ForgetLabel forgets a request, if there is one.
func (rq Requests) ForgetLabel(repo promotion.Repo, number int, label string) error {
	if _, err := rq.tx.exec(
		`DELETE FROM label_requests WHERE repo = $1 AND number = $2 AND label = $3`, repo, number, label,
	); err != nil {
		return fmt.Errorf("forget the wish %s of %s#%d: %w", label, repo, number, err)
	}
	return nil
}

// ByLabels returns the requests by labels on a pull request.
func (rq Requests) ByLabels(repo promotion.Repo, number int) ([]LabelRequest, error) {
	all, err := list(rq.tx, func(w *LabelRequest) []any {
		return []any{&w.Repo, &w.Number, &w.Label, &w.Head, &w.By.ID, &w.By.Login, at(&w.At)}
	},
		`SELECT repo, number, label, head, actor_id, actor, asked_at FROM label_requests WHERE repo = $1 AND number = $2
			ORDER BY label`,
		repo, number)
	if err != nil {
		return nil, fmt.Errorf("list the label requests of %s#%d: %w", repo, number, err)
	}
	return all, nil
}
