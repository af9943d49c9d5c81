package surface

import (
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
)

// The labels that are commands.
const (
	PromoteLabel = "promote/" // followed by the stage, or one target of it
	HoldLabel    = "waybill/hold"
)

// LabelAddress begins the address of the answer to a label: "label:acme/api#142".
const LabelAddress = "label:"

// PromotesTo reports whether a label asks for a promotion.
func PromotesTo(label string) bool {
	return len(label) > len(PromoteLabel) && strings.EqualFold(label[:len(PromoteLabel)], PromoteLabel)
}

// PromoteCommand returns the command of a label that asks for a promotion, once the freight is available.
func PromoteCommand(label string) promotion.Command {
	stage, target := command.PlaceNamed(label[len(PromoteLabel):])
	return promotion.Command{Verb: promotion.CmdPromote, Stage: stage, Target: target, Early: true}
}
