package api

import (
	"context"
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"waybill/store"
)

// scopes knows which repositories the names in the token file mean: those that had them when Waybill first saw them
// there. Names change hands.
type scopes struct {
	mu    sync.Mutex
	file  int // how many times the token file had been read
	first map[store.Scope]int64
	told  map[store.Scope]bool // names of other repositories, with their ids
}

// noteScopes notes what the names in the token file mean, if that has been read again.
func (s *Server) noteScopes(ctx context.Context) error {
	s.scopes.mu.Lock()
	defer s.scopes.mu.Unlock()
	tokens, file, err := s.tokens.inForce()
	if err != nil || file == s.scopes.file {
		return nil // a file that cannot be used opens nothing, and nothing of it is forgotten
	}
	first := map[store.Scope]int64{}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		err := tx.Names.KeepScopes(func(had store.Scope) bool {
			return slices.ContainsFunc(tokens, func(t Token) bool {
				return t.Name == had.Holder && len(t.Repos) > 0 && t.opens(had.Repo)
			})
		})
		if err != nil {
			return err
		}
		rows, err := tx.Pipelines.All()
		for _, row := range rows {
			for _, t := range tokens {
				if err == nil && len(t.Repos) > 0 && t.opens(row.Repo) {
					first[store.ScopeOf(t.Name, row.Repo, 0)], err = tx.Names.NoteScope(store.ScopeOf(t.Name, row.Repo, row.ID))
				}
			}
		}
		return err
	})
	if err == nil {
		s.scopes.file, s.scopes.first, s.scopes.told = file, first, map[store.Scope]bool{}
	}
	return err
}

// bound reports whether a token that names the home of a pipeline means that repository. Not to know is no.
func (s *Server) bound(ctx context.Context, t *Token, row store.PipelineRow) bool {
	if len(t.Repos) == 0 {
		return true
	}
	s.scopes.mu.Lock()
	defer s.scopes.mu.Unlock()
	name, now := store.ScopeOf(t.Name, row.Repo, 0), store.ScopeOf(t.Name, row.Repo, row.ID)
	first := s.scopes.first[name]
	if first == 0 {
		err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
			first, err = tx.Names.NoteScope(now)
			return err
		})
		if err != nil {
			zerolog.Ctx(ctx).Error().Err(err).Str("token", t.Name).Msg("may not: what it is bound to is not known")
			return false
		}
		s.scopes.first[name] = first
	}
	if first != row.ID && !s.scopes.told[now] {
		s.scopes.told[now] = true
		zerolog.Ctx(ctx).Error().Str("token", t.Name).Str("repo", string(row.Repo)).Int64("id", row.ID).
			Int64("meant", first).Msg("the token does not open it: another repository has this name by now; if it is the " +
			"one that is meant, make another token")
	}
	return first == row.ID
}
