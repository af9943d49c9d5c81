package drift

import (
	"strconv"
	"strings"

	"waybill/promotion"
)

// Reason returns how the files differ from the values that were written when the deployment began; the zero reason if
// they do not.
func Reason(s *promotion.Deployment) promotion.Reason {
	if !s.Drift.Stands() {
		return promotion.Reason{}
	}
	r := promotion.Because(promotion.Drifted)
	var is []string
	for _, v := range s.Drift.Says {
		r.Args = append(r.Args, v.Place())
		is = append(is, differs(v, s.Promotion, wrote(s, v.Spot())))
	}
	if s.Drift.By.Login != "" {
		is = append(is, "pushed by "+string(s.Drift.By.Login))
	}
	return r.With(strings.Join(is, "; "))
}

// wrote returns the value that was written at a place when the deployment began.
func wrote(s *promotion.Deployment, at promotion.Spot) string {
	for _, v := range s.Wrote {
		if v.Spot() == at {
			return v.Text
		}
	}
	return ""
}

// differs describes the difference between the present value and the one that promotion n wrote.
func differs(v promotion.Value, n promotion.Number, wrote string) string {
	if v.Key == promotion.EveryFile {
		return v.Place() + " is not what promotion " + n.String() + " copied"
	}
	return v.Key + " says " + quoted(v.Text) + ", promotion " + n.String() + " wrote " + quoted(wrote)
}

func quoted(text string) string { return strconv.Quote(promotion.Clip(text, 60)) }
