package pipelines

import (
	"cmp"
	"slices"

	"waybill/promotion"
)

// Subscriber is a warehouse that takes freight from a repository.
type Subscriber struct {
	Pipeline  int64
	Warehouse *promotion.Warehouse
}

// SubscribersToMerges returns the warehouses that take pull requests merged into a branch.
func (r *Registry) SubscribersToMerges(repo promotion.Repo, branch string) []Subscriber {
	return r.subscribersWhere(func(w *promotion.Warehouse) bool {
		return w.Kind == promotion.FromPulls && w.Repo == repo && w.Branch == branch
	})
}

// SubscribersToPushes returns the warehouses that take pushes to a branch.
func (r *Registry) SubscribersToPushes(repo promotion.Repo, branch string) []Subscriber {
	return r.subscribersWhere(func(w *promotion.Warehouse) bool {
		return w.Kind == promotion.FromPushes && w.Repo == repo && w.Branch == branch
	})
}

// SubscribersToVersion returns the warehouses that take a release or tag of a repository by its version.
func (r *Registry) SubscribersToVersion(kind promotion.WarehouseKind, repo promotion.Repo, tag string) []Subscriber {
	return r.subscribersWhere(func(w *promotion.Warehouse) bool {
		if w.Kind != kind || w.Repo != repo {
			return false
		}
		_, takes := w.Versions.Of(tag)
		return takes
	})
}

// AcceptingReports returns the pipelines that take reports of a repository's commits, by the names of their homes.
func (r *Registry) AcceptingReports(repo promotion.Repo) (all []Compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		if slices.ContainsFunc(c.Pipeline.Warehouses, func(w *promotion.Warehouse) bool {
			return w.Kind == promotion.FromReports && w.Repo == repo
		}) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Compiled) int { return cmp.Compare(a.Row.Repo, b.Row.Repo) })
	return all
}

// AwaitingImage returns the warehouses whose freight waits for an image.
func (r *Registry) AwaitingImage(image string) []Subscriber {
	return r.subscribersWhere(func(w *promotion.Warehouse) bool {
		return slices.ContainsFunc(w.Images, func(a promotion.Awaited) bool { return a.Image == image })
	})
}

func (r *Registry) subscribersWhere(takes func(*promotion.Warehouse) bool) []Subscriber {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []Subscriber
	for id, c := range r.all {
		for _, w := range c.Pipeline.Warehouses {
			if takes(w) {
				found = append(found, Subscriber{id, w})
			}
		}
	}
	return found
}
