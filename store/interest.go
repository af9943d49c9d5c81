package store

import (
	"context"

	"waybill/promotion"
)

// Await reports whether a signal may be of interest: a matcher may name it, or its commit is the head of an open pull
// request of ours. One without a Kind is of the latter interest only, one without a Name is a whole check suite. It is
// one statement.
func (s *Store) Await(ctx context.Context, g *promotion.Signal) (awaited bool, err error) {
	return s.ask(ctx, `SELECT EXISTS (SELECT 1 FROM pulls WHERE repo = $1 AND head_sha = $4 AND state = 'open')
		OR EXISTS (SELECT 1 FROM matchers WHERE repo = $1 AND kind = $2 AND (star OR pattern = $3 OR $3 = ''))`,
		g.Repo, g.Kind, g.Name, g.SHA)
}

// UseBranch reports whether a branch holds files of stages, or held some, or is the base of an open pull request of
// ours. It is one statement.
func (s *Store) UseBranch(ctx context.Context, b promotion.Branch) (used bool, err error) {
	return s.ask(ctx, `SELECT EXISTS (SELECT 1 FROM stage_branches WHERE repo = $1 AND branch = $2)
		OR EXISTS (SELECT 1 FROM pulls WHERE repo = $1 AND base = $2 AND state = 'open')`, b.Repo, b.Name)
}

// UseRepository reports whether a pipeline lives in a repository, which is known by its id, or has files of stages or
// an open pull request there. It is one statement.
func (s *Store) UseRepository(ctx context.Context, id int64, repo promotion.Repo) (used bool, err error) {
	return s.ask(ctx, `SELECT EXISTS (SELECT 1 FROM pipelines WHERE id = $1)
		OR EXISTS (SELECT 1 FROM stage_branches WHERE repo = $2)
		OR EXISTS (SELECT 1 FROM pulls WHERE repo = $2 AND state = 'open')`, id, repo)
}

// ask asks a question of one statement.
func (s *Store) ask(ctx context.Context, question string, args ...any) (yes bool, err error) {
	err = s.ViewOne(ctx, func(tx *Tx) error {
		_, err := tx.one([]any{&yes}, question, args...)
		return err
	})
	return yes, wrap("look for whom something is", err)
}
