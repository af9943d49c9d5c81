package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waybill/internal/githubsim/render"
)

// The default and the largest size of a page.
const (
	defaultPage = 30
	largestPage = 100
)

// page returns the page that the query requests, and the Link header in GitHub's form and order.
func page[T any](c *call, all []T) ([]T, http.Header) {
	size := clamp(c.request.URL.Query().Get("per_page"), defaultPage, largestPage)
	number := clamp(c.request.URL.Query().Get("page"), 1, 1<<30)
	last := max(1, (len(all)+size-1)/size)
	var links []string
	link := func(to int, rel string) {
		links = append(links, fmt.Sprintf("<%s>; rel=%q", pageURL(c, to), rel))
	}
	if number > 1 {
		link(number-1, "prev")
	}
	if number < last {
		link(number+1, "next")
		link(last, "last")
	}
	if number > 1 {
		link(1, "first")
	}
	header := http.Header{}
	if len(links) > 0 {
		header.Set("Link", strings.Join(links, ", "))
	}
	from := min((number-1)*size, len(all))
	return all[from:min(from+size, len(all))], header
}

func clamp(text string, otherwise, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return min(n, most)
}

func pageURL(c *call, number int) string {
	query := url.Values{}
	for key, values := range c.request.URL.Query() {
		query[key] = values
	}
	query.Set("page", strconv.Itoa(number))
	return c.Render.URL + c.request.URL.EscapedPath() + "?" + query.Encode()
}

// list returns one page of rendered items.
func list[T any](c *call, all []T, show func(T) any) reply {
	items, header := page(c, all)
	return reply{Status: http.StatusOK, Body: render.List(items, show), Header: header}
}

// counted returns one page inside an object with total_count, as the checks, teams and installation endpoints do.
func counted[T any](c *call, key string, all []T, show func(T) any) reply {
	items, header := page(c, all)
	return reply{Status: http.StatusOK, Body: obj{"total_count": len(all), key: render.List(items, show)}, Header: header}
}
