package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/rollout"
)

func TestWhichTargetsCatchUp(t *testing.T) { // semantics 5.1, 5.2
	soon := fixture.Noon.Add(time.Minute)
	none, t3 := rollout.Latecomers{}, []promotion.TargetName{"t3"}
	for _, c := range []struct {
		name  string
		given func(r *rolling)
		want  rollout.Latecomers
	}{
		{"its files are there", func(*rolling) {}, rollout.Latecomers{Ready: t3}},
		{"nobody has read its files", func(r *rolling) { r.s.Readings = nil }, rollout.Latecomers{Unread: t3}},
		{"somebody has left it out", func(r *rolling) { r.p.Rollout.Skipped = t3 }, none},
		{"it is held", func(r *rolling) {
			r.g.HoldOn = func(promotion.TargetName) *promotion.Hold { return &promotion.Hold{} }
		}, none},
		{"it has been tried", func(r *rolling) {
			again := *r.p
			again.Number, again.Only, again.State = 2, t3, promotion.Failed
			r.s.Promotions = append(r.s.Promotions, again)
		}, none},
		{"nobody knows what it shows", func(r *rolling) {
			r.g.Conditional = func(promotion.TargetName) bool { return true }
			r.g.Known = func() (bool, time.Time) { return false, time.Time{} }
		}, rollout.Latecomers{Asks: true}},
		{"it shows what it must", func(r *rolling) {
			r.g.Conditional = func(promotion.TargetName) bool { return true }
			r.g.Known = func() (bool, time.Time) { return true, soon }
		}, rollout.Latecomers{Ready: t3, Until: soon}},
		{"something runs", func(r *rolling) { r.p.State = promotion.Verifying }, none},
		{"the freight is bad", func(r *rolling) { r.s.Deployments[0].Verdict = promotion.Bad }, none},
		{"people say when", func(r *rolling) { r.s.Stage.Strategy.External = true }, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := verified(t, 2)
			r.p.State, r.s.Deployments[0].Verdict = promotion.Succeeded, promotion.Passed
			r.s.Readings = []promotion.Reading{{Values: []promotion.Value{{Path: "t3.yaml", Key: "tag", Text: "0"}}}}
			c.given(&r)
			require.Equal(t, c.want, rollout.Late(r.s, &r.s.Deployments[0], r.g))
		})
	}
}
