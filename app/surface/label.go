package surface

import (
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
)

// The labels by which people ask for something.
const (
	PromoteLabel = "promote/" // and the stage, or one target of it
	HoldLabel    = "waybill/hold"
)

// LabelAddress begins the place where what was asked by a label is answered: "label:acme/api#142".
const LabelAddress = "label:"

func PromotesTo(label string) bool {
	return len(label) > len(PromoteLabel) && strings.EqualFold(label[:len(PromoteLabel)], PromoteLabel)
}

func PromoteCommand(label string) promotion.Command {
	stage, target := command.PlaceNamed(label[len(PromoteLabel):])
	return promotion.Command{Verb: promotion.CmdPromote, Stage: stage, Target: target}
}
