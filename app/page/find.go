package page

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"waybill/app/api"
)

// found is the result of a search.
type found struct {
	Query   string
	Freight []api.Freight
	Looked  int // how much freight was looked at, the newest
}

// searched bounds how many pages of a hundred a search looks through.
const searched = 5

// find goes to the stage or promotion that the visitor names, or lists the freight that has their words.
func find(v *visit) (page, error) {
	query := strings.TrimSpace(v.r.URL.Query().Get("q"))
	var one api.StageDetail
	if v.get(&one, v.of("/stages/"+url.PathEscape(query))) == nil {
		return page{to: v.Home() + "/stages/" + url.PathEscape(one.Name)}, nil
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(query, "p"), 10, 63); err == nil {
		path := fmt.Sprintf("/promotions/%d", n)
		if v.get(new(api.PromotionDetail), v.of(path)) == nil {
			return page{to: v.Home() + path}, nil
		}
	}
	f := found{Query: query}
	for cursor, i := "", 0; i < searched; i++ {
		var some api.FreightPage
		err := v.get(&some, fmt.Sprintf("%s?limit=100&cursor=%s", v.of("/freight"), url.QueryEscape(cursor)))
		if err != nil {
			return page{}, err
		}
		f.Looked += len(some.Freight)
		for _, one := range some.Freight {
			if fits(one, query) {
				f.Freight = append(f.Freight, one)
			}
		}
		if cursor = some.Next; cursor == "" {
			break
		}
	}
	return page{template: "found.html", title: "Search in " + v.Repo, data: f}, nil
}

// fits reports whether freight has the words of a query.
func fits(f api.Freight, query string) bool {
	query = strings.ToLower(query)
	for _, text := range []string{f.FreightRef.Freight, f.Title, f.Author, f.Tag, f.Version} {
		if strings.Contains(strings.ToLower(text), query) {
			return true
		}
	}
	return len(query) >= 4 && strings.HasPrefix(strings.ToLower(f.SHA), query)
}
