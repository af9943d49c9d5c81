package decide

import (
	"waybill/promotion"
)

func asked(r promotion.Request) promotion.Reason {
	return promotion.Because(promotion.Asked, string(r.By.Login))
}

func behind(p *promotion.Promotion) promotion.Reason {
	return promotion.Because(promotion.Behind, p.Number.String())
}
