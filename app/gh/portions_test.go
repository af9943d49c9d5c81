package gh

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// capped is a GitHub that limits the number of commits in one document, and answers larger documents with an error. It
// records the size of each request.
type capped struct {
	most  int
	says  func(w http.ResponseWriter)
	asked []int
}

func (g *capped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/app" {
		fmt.Fprint(w, `{"id": 1, "slug": "waybill"}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var request struct {
		Variables map[string]any `json:"variables"`
	}
	_ = json.Unmarshal(body, &request)
	commits := map[string]any{}
	for name, sha := range request.Variables {
		if strings.HasPrefix(name, "c") {
			commits[name] = map[string]any{
				"oid": sha, "committedDate": noon, "history": map[string]int{"totalCount": 1},
			}
		}
	}
	g.asked = append(g.asked, len(commits))
	if len(commits) > g.most {
		g.says(w)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"repository": commits}})
}

// tooMuch is GitHub's answer to a document that costs too much.
func tooMuch(w http.ResponseWriter) {
	fmt.Fprint(w, `{"data": {"repository": null}, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["repository", `+
		`"c0"], "message": "Resource limits for this query exceeded."}]}`)
}

// tooSlow is GitHub's answer to a document that takes it too long.
func tooSlow(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }

func commits(n int) (all []promotion.SHA) {
	for i := range n {
		all = append(all, promotion.SHA(fmt.Sprintf("%040d", i)))
	}
	return all
}

// TestADocumentThatIsTooMuchAtOnceIsHalvedAndThatIsRememberedB3C7 makes GitHub refuse large documents: the client
// remembers the accepted size for an hour.
func TestADocumentThatIsTooMuchAtOnceIsHalvedAndThatIsRememberedB3C7(t *testing.T) {
	for name, says := range map[string]func(http.ResponseWriter){"too much": tooMuch, "too slow": tooSlow} {
		t.Run(name, func(t *testing.T) {
			github := &capped{most: 20, says: says}
			hub, clock := wire(t, github.ServeHTTP)
			c := must(t, hub, 1, repo)
			heads, err := c.Commits.Heads(t.Context(), commits(60))
			require.NoError(t, err)
			require.Len(t, heads, 60)
			require.Equal(t, []int{50, 25, 12, 12, 12, 12, 12}, github.asked)
			github.asked = nil
			_, err = c.Commits.Heads(t.Context(), commits(20))
			require.NoError(t, err)
			require.Equal(t, []int{12, 8}, github.asked)
			_, err = c.Signals.Digests(t.Context(), commits(20))
			require.NoError(t, err)
			require.Equal(t, []int{12, 8, 20}, github.asked, "another question")
			clock.Advance(portionsLast)
			github.asked, github.most = nil, 50
			_, err = c.Commits.Heads(t.Context(), commits(50))
			require.NoError(t, err)
			require.Equal(t, []int{24, 24, 2}, github.asked)
			clock.Advance(5 * portionsLast)
			github.asked = nil
			_, err = c.Commits.Heads(t.Context(), commits(50))
			require.NoError(t, err)
			require.Equal(t, []int{50}, github.asked)
		})
	}
}

// TestOneThingThatIsTooMuchIsRefused has documents that cannot be halved. A commit with too many reports for its digest
// is read in full.
func TestOneThingThatIsTooMuchIsRefused(t *testing.T) {
	github := &capped{says: tooMuch}
	hub, _ := wire(t, github.ServeHTTP)
	c := must(t, hub, 1, repo)
	_, err := c.Commits.Heads(t.Context(), commits(2))
	require.ErrorIs(t, err, ErrPassing)
	require.NotErrorIs(t, err, ErrTransient)
	require.Equal(t, []int{2, 1}, github.asked)
	digests, err := c.Signals.Digests(t.Context(), commits(2))
	require.NoError(t, err)
	require.Equal(t, map[promotion.SHA]string{commits(2)[0]: "", commits(2)[1]: ""}, digests)
}

// TestChangesThatAreTooManyForOneRequestAreMadeInSmallerOnesB3 makes GitHub carry out the first 30 changes of a
// document.
func TestChangesThatAreTooManyForOneRequestAreMadeInSmallerOnesB3(t *testing.T) {
	var asked []int
	folded := map[string]int{}
	hub, _ := wire(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request struct {
			Variables map[string]map[string]string `json:"variables"`
		}
		require.NoError(t, json.Unmarshal(body, &request))
		asked = append(asked, len(request.Variables))
		data, failures := map[string]any{}, []any{}
		for i := range request.Variables {
			alias := "s" + i[1:]
			var n int
			_, err := fmt.Sscanf(i, "i%d", &n)
			require.NoError(t, err)
			if data[alias] = map[string]any{}; n < 30 {
				folded[request.Variables[i]["subjectId"]]++
				continue
			}
			data[alias] = nil
			failures = append(failures, map[string]any{
				"type": "RESOURCE_LIMITS_EXCEEDED", "path": []string{alias}, "message": "Resource limits for this query exceeded.",
			})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "errors": failures})
	})
	var nodes []string
	for i := range 120 {
		nodes = append(nodes, fmt.Sprint("IC_", i))
	}
	require.NoError(t, must(t, hub, 1, repo).Comments.Minimize(t.Context(), nodes))
	require.Equal(t, []int{50, 25, 25, 25, 15}, asked)
	require.Len(t, folded, 120)
	for node, times := range folded {
		require.Equal(t, 1, times, node)
	}
}

// TestPortionsNeverGrowBySomebodyElsesFailure sends two requests at once: the one that learned a larger limit does not
// overwrite the smaller limit of the other.
func TestPortionsNeverGrowBySomebodyElsesFailure(t *testing.T) {
	var p portions
	p.tooLarge("q", 12, noon)
	p.tooLarge("q", 50, noon)
	require.Equal(t, 6, p.size("q", 50, noon))
	require.Equal(t, 1, p.size("q", 1, noon))
	require.Equal(t, 50, p.size("other", 50, noon))
}
