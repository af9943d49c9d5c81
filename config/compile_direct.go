package config

import "waybill/promotion"

// The values of `commit`: a pull request is opened and merged, or the commit goes to the branch by itself.
const (
	byPull   = "pull-request"
	directly = "direct"
)

// delivery returns how promotions into a compiled stage are delivered.
func (s *compiled) delivery() promotion.Delivery {
	switch {
	case s.Dispatch != nil:
		return promotion.DeliveryWorkflow
	case len(s.Changes()) == 0 && len(s.Copies()) == 0:
		return promotion.DeliveryNone
	case s.file.value.commit.or(byPull) == directly:
		return promotion.DeliveryCommit
	}
	return promotion.DeliveryPullRequest
}

// direct refuses keys of a stage that are about pull requests, where none is opened.
func (c *compiler) direct(s *compiled) {
	f := s.file.value
	if f.commit.or(byPull) != directly {
		return
	}
	const remedy = "remove one of the two"
	if f.approvals.or(0) > 0 {
		s.reader.errorf(f.approvals.key,
			"`approvals` needs a pull request that waits for them, and `commit: direct` opens none; "+remedy)
	}
	for _, b := range f.rollout.value.batches {
		if b.value.signed.or(0) > 0 {
			s.reader.key("rollout").errorf(b.value.signed.key,
				"`approvals` of a batch needs a pull request that waits for them, and `commit: direct` opens none; "+remedy)
		}
	}
	if f.merge.or(promotion.MergeAuto) == promotion.MergeManual {
		s.reader.errorf(f.merge.key,
			"`merge: manual` needs a pull request that a person merges, and `commit: direct` opens none; "+remedy)
	}
	if f.pulls.given() {
		s.reader.errorf(f.pulls.key, "`pull-requests` says how many there are, and `commit: direct` opens none; "+remedy)
	}
	if f.mergeMethod.given() {
		s.reader.errorf(f.mergeMethod.key, "`merge-method` is about pull requests, and `commit: direct` opens none; "+remedy)
	}
}

// floors reports where a policy demands something of a stage that only a pull request can have. The server's policy is
// changed by others than the file: under it such a stage gets pull requests, if it can, and is only warned.
func (c *compiler) floors(u statement, say func(r *reader, at pos, format string, args ...any), so string) Problems {
	r := newReader(&report{file: c.reader.report.file})
	for _, s := range c.stages {
		what, key := "commit: direct", s.file.value.commit.key
		if s.Delivery == promotion.DeliveryWorkflow {
			what, key = "dispatch", s.file.value.dispatch.key
		}
		at := r.key("stages").key(s.file.name)
		switch {
		case s.Delivery == promotion.DeliveryPullRequest, s.Delivery == promotion.DeliveryNone:
		case u.approvals[s.Name] > 0:
			say(at, key, "`%s` %s: the policy asks for sign-offs of promotions to %s, and only a pull request can wait for "+
				"them; remove it, or lower `approvals` there", what, so, s.Name)
		case u.manual[s.Name]:
			say(at, key, "`%s` %s: the policy wants a person to merge promotions to %s, and there would be nothing to merge; "+
				"remove it, or `merge: manual` there", what, so, s.Name)
		}
	}
	return r.report.sorted()
}
