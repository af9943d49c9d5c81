package decide

import (
	"strconv"
	"waybill/promotion"
)

// differs says for people what a value says that was another one when promotion n wrote it.
func valueDiffers(v promotion.Value, n promotion.Number, wrote string) string {
	if v.Key == promotion.EveryFile {
		return v.Place() + " is not what promotion " + n.String() + " copied"
	}
	return v.Key + " says " + quoted(v.Text) + ", promotion " + n.String() + " wrote " + quoted(wrote)
}

func quoted(text string) string { return strconv.Quote(promotion.Clip(text, 60)) }
