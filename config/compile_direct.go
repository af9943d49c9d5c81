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
func direct(s *compiled) {
	f := &s.file.value
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
