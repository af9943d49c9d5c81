package rollout

import (
	"time"

	"waybill/promotion"
)

// Gates has the questions of a rollout about holds and about the state of targets on GitHub. Package gate has the
// answers: each function is the method of its Keeper that has the same name. They are functions, and no interface, so
// that a question which is not asked allocates nothing.
type Gates struct {
	// HoldOn returns the hold that keeps a target from taking part in rollouts, or nil.
	HoldOn func(promotion.TargetName) *promotion.Hold
	// Conditional reports whether a target must show something before it takes part.
	Conditional func(promotion.TargetName) bool
	// Unready reports whether a target cannot take part in the next step of a promotion.
	Unready func(*promotion.Promotion, promotion.TargetName) bool
	// Informed reports whether enough is known of the targets of the next step and of those that cannot take part in it.
	Informed func(p *promotion.Promotion, targets, waiting []promotion.TargetName) bool
	// Known reports whether enough is known of targets that wait, and until when GitHub need not be asked again.
	Known func() (bool, time.Time)
	// Halted returns why a promotion that has started does not go on, and until when; the zero reason if it goes on.
	Halted func(*promotion.Promotion) (promotion.Reason, time.Time)
}
