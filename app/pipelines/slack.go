package pipelines

import (
	"cmp"
	"slices"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/store"
)

// ToldOf returns the pipelines that have a stage which is told of in Slack, by the names of their homes.
func (r *Registry) ToldOf(channels store.Channels) (all []Compiled) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.all {
		told := func(s *promotion.Stage) bool { return channels.Of(c.Row.Installation, s.Slack) != "" }
		if slices.ContainsFunc(c.Pipeline.Stages, told) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Compiled) int { return cmp.Compare(a.Row.Repo, b.Row.Repo) })
	return all
}

// HomeForSlack returns the home of the pipeline that a command in Slack means, among those that are told of in Slack:
// the only one whose stage, or one of whose stages, is told of in this channel; else the only one that has the stage;
// else the only pipeline there is. It is empty if none of these is unique. The channel comes first, so that a pipeline
// elsewhere with a stage of the same name changes nothing in it. channel is its id, and called its name, as far as that
// is known.
func (r *Registry) HomeForSlack(
	channels store.Channels, channel, called string, stage promotion.StageName,
) promotion.Repo {
	var all, having, here []promotion.Repo
	for _, c := range r.ToldOf(channels) {
		all = append(all, c.Row.Repo)
		stages := command.Called(c.Pipeline, stage)
		if len(stages) > 0 {
			having = append(having, c.Row.Repo)
		}
		if slices.ContainsFunc(stages, func(s *promotion.Stage) bool {
			told := channels.Of(c.Row.Installation, s.Slack)
			return told != "" && (told == channel || told == called)
		}) {
			here = append(here, c.Row.Repo)
		}
	}
	for _, some := range [][]promotion.Repo{here, having, all} {
		if len(some) == 1 {
			return some[0]
		}
	}
	return ""
}
