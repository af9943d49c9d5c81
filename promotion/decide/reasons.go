package decide

import (
	"waybill/promotion"
)

func asked(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Asked, string(r.By.Login))
}

// decided is why freight is good or bad by a person's word.
func decided(r promotion.Request) promotion.Reason {
	words := promotion.Clip(r.Command.Text, promotion.ShownText)
	return promotion.Because(promotion.Decided, string(r.By.Login)).With(words)
}

// merged is that a promotion, or a target of its rollout, is merged.
func merged(p *promotion.Promotion, target ...string) promotion.Reason {
	return promotion.Because(promotion.Merged, append([]string{p.Number.String()}, target...)...)
}

func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}
