package decide

import (
	"waybill/promotion"
)

func asked(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Asked, string(r.By.Login))
}

// decided is why freight is good or bad by a person's word.
func decided(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Decided, string(r.By.Login)).With(promotion.Clip(r.Command.Text, promotion.ShownText))
}

func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}
