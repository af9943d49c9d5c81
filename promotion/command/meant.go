package command

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// FreightMeant returns the index of the freight that a request means: the one it names, that of the pull request it
// stands on, or the newest available; -1 with the reason if there is none.
func FreightMeant(s *promotion.Snapshot, r promotion.Request, available func(i int) bool) (int, promotion.Reason) {
	if name := r.Command.Freight; name != "" {
		if i := freightNamed(s, name); i >= 0 {
			return i, promotion.Reason{}
		}
		return -1, unknown(name)
	}
	for i := range s.Freight {
		if r.StandsOn(&s.Freight[i]) {
			return i, promotion.Reason{}
		}
	}
	if i := newest(s, available); i >= 0 {
		return i, promotion.Reason{}
	}
	return -1, unknown("freight")
}

// freightNamed returns the index of the freight with that name, pull request number or commit, or -1.
func freightNamed(s *promotion.Snapshot, name string) int {
	for i := range slices.Backward(s.Freight) {
		f := &s.Freight[i]
		if f.Name == name || f.Pull != 0 && promotion.PullRef(f.Pull) == name ||
			len(name) >= 7 && strings.HasPrefix(string(f.SHA), name) {
			return i
		}
	}
	return -1
}

// NewestFreight returns the index of the newest freight of the stage's warehouses, whether it may go there or not; -1
// if there is none.
func NewestFreight(s *promotion.Snapshot) int { return newest(s, func(int) bool { return true }) }

// newest returns the index of the newest freight that counts, or -1.
func newest(s *promotion.Snapshot, counts func(i int) bool) int {
	newest := -1
	for i := range s.Freight {
		if (newest < 0 || s.Freight[newest].Before(s.Freight[i])) && counts(i) {
			newest = i
		}
	}
	return newest
}

// ToCancel returns the promotion that a cancel means: the one that it stands on, else the first that waits, else the
// one that runs; nil if there is none.
func ToCancel(s *promotion.Snapshot, r promotion.Request) *promotion.Promotion {
	var first *promotion.Promotion
	for i := range s.Promotions {
		p := &s.Promotions[i]
		switch {
		case p.State.Ended() || p.State == promotion.Verifying && !p.Rolls():
		case concerns(s, r, p):
			return p
		case p.State == promotion.Queued && (first == nil || p.GoesBefore(first)):
			first = p
		}
	}
	if first == nil {
		return s.Active()
	}
	return first
}

// ToRetry returns the promotion that a retry means: the one that failed last, of those of the freight that it names, or
// of those that it stands on if there are any; nil if none has. A cancelled promotion has not failed.
func ToRetry(s *promotion.Snapshot, r promotion.Request) *promotion.Promotion {
	var last *promotion.Promotion
	for i := range slices.Backward(s.Promotions) {
		p := &s.Promotions[i]
		if p.State != promotion.Failed && p.State != promotion.Declined && p.State != promotion.VerificationFailed {
			continue
		}
		if name := r.Command.Freight; name != "" && name != p.Freight.Name {
			continue
		}
		if concerns(s, r, p) {
			return p
		}
		if last == nil {
			last = p
		}
	}
	return last
}

// concerns reports whether a request was made on a pull request of this promotion: the one that its freight was, or its
// own.
func concerns(s *promotion.Snapshot, r promotion.Request, p *promotion.Promotion) bool {
	if i := s.FreightAt(p.Freight.ID); i >= 0 && r.StandsOn(&s.Freight[i]) {
		return true
	}
	pull := s.Pull(s.Attempt(p.Number))
	return pull != nil && pull.Number == r.Pull && pull.Repo == r.PullRepo
}
