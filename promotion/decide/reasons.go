package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

func asked(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Asked, string(r.By.Login))
}

// decided is why freight is good or bad by a person's word.
func decided(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Decided, string(r.By.Login)).With(promotion.Clip(r.Command.Text, promotion.ShownText))
}

// merged is that a promotion, or a target of its rollout, is merged.
func merged(p *promotion.Promotion, target ...string) promotion.Reason {
	return promotion.Because(promotion.Merged, append([]string{p.Number.String()}, target...)...)
}

// offers names a command with what it does; "" if it would not be carried out now.
func (d *draft) offers(c promotion.Command, does string) string {
	if !Accepts(&d.Snapshot, c, d.now) {
		return ""
	}
	return command.Write(c) + " " + does
}

func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}
