package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// neighbour is an installation beside that of the history, whose freight is promoted into six stages. GitHub answers
// each request of it late. The ledger knows nothing of it: only the time that others spend with it matters.
type neighbour struct {
	github *githubsim.Server
	log    *ledger.Journal
	late   time.Duration // of each answer; 0: there is no neighbour, or it is answered at once
	tokens sync.Map      // those of its installation
	random *rand.Rand
	theirs string // the name of the other installation's first stage
	prying bool   // it names the repositories and the channel of the other installation
	grants string // the path at which its tokens are requested
	merged int
	typed  func(stage string) // gives a command about a stage of the other installation, in its channel
}

// What the neighbour has: its account and its only repository.
const (
	neighbourOrg  = shape.Other
	neighbourRepo = neighbourOrg + "/deploy"
)

// neighbourStages are the stages of the neighbour: more than there are workers of a kind.
var neighbourStages = []string{"n1", "n2", "n3", "n4", "n5", "n6"}

// neighbourFiles are the files of the neighbour. Each of its stages takes all freight at once.
func neighbourFiles() map[string]string {
	files, stages := map[string]string{}, ""
	for _, s := range neighbourStages {
		files[s+".yaml"] = "tag: none\n"
		stages += fmt.Sprintf("  %[1]s: {from: app, set: {%[1]s.yaml: {tag: \"${app.short}\"}}}\n", s)
	}
	files[".github/waybill.yml"] = "version: 1\nwarehouses:\n  app: {pull-requests: {branch: main, paths: [src/**]}}\n" +
		"stages:\n" + stages
	return files
}

// newNeighbour returns the neighbour of a history, which has none if its shape has no slow one.
func newNeighbour(s shape.Shape, github *githubsim.Server, log *ledger.Journal) *neighbour {
	return &neighbour{github: github, log: log, late: s.Slow, prying: s.Prying, theirs: s.First.Stages[0].Name,
		random: rand.New(rand.NewPCG(s.Seed, 14))}
}

// build makes the neighbour's repository and installation.
func (n *neighbour) build(db *ledger.Database) error {
	if n.late == 0 {
		return nil
	}
	err := errors.Join(n.github.CreateOrg(neighbourOrg), n.github.CreateRepo(neighbourRepo, neighbourFiles()),
		n.github.SetPermission(neighbourRepo, "ann", "write"))
	if err != nil {
		return err
	}
	id, err := n.github.InstallApp(neighbourOrg, neighbourRepo)
	n.grants = fmt.Sprintf("/app/installations/%d/access_tokens", id)
	db.Neighbour = strconv.FormatInt(id, 10)
	return err
}

// begin lets the program find the neighbour, whose first freight is then on its way when the history begins.
func (n *neighbour) begin(s *Schedule) {
	if n.late == 0 {
		return
	}
	s.Pass(time.Duration(20) * n.late)
	n.publish()
	s.Pass(time.Duration(10+n.random.IntN(30)) * n.late)
}

// act merges a pull request of the neighbour before two of three acts, and lets some answers come.
func (n *neighbour) act(s *Schedule) {
	if n.late == 0 || n.random.IntN(3) == 0 {
		return
	}
	if n.prying && n.random.IntN(2) == 0 {
		n.pry(s)
	}
	n.publish()
	s.Pass(time.Duration(n.random.IntN(4)) * n.late)
}

// pry changes the pipeline file so that it names what belongs to the other installation: as a source or as the place of
// a stage's files a repository, and then one that does not exist; or so that it has a stage of the same name for the
// channel of the first installation, which it has not claimed.
func (n *neighbour) pry(s *Schedule) {
	exists, how := []string{shape.Home, "acme/config"}[n.random.IntN(2)], n.random.IntN(3)
	for _, other := range []string{exists, "acme/nowhere"} {
		file := neighbourFiles()[".github/waybill.yml"]
		set := `{from: app, set: {n1.yaml: {tag: "${app.short}"}}, `
		switch how {
		case 0:
			file = strings.Replace(file, "{branch: main", "{repo: "+other+", branch: main", 1)
		case 1:
			file += "  x: " + set + "files: {repo: " + other + "}}\n"
		case 2:
			file += "  " + n.theirs + ": " + set + `slack: "#` + shape.Room + "\"}\n"
		}
		_, err := n.github.PushFiles(neighbourRepo, "main", "ann", "Pry",
			map[string]*string{".github/waybill.yml": githubsim.Text(file)})
		n.log.Note("  the neighbour names what is not its own: %v\n%s", err, file)
		s.Pass(20 * n.late)
	}
	if how == 2 {
		n.typed(n.theirs)
		s.Rest()
	}
}

// publish merges a pull request of the neighbour.
func (n *neighbour) publish() {
	n.merged++
	number, err := n.github.OpenPull(neighbourRepo, githubsim.PullSpec{
		Title: fmt.Sprint("Change ", n.merged), Head: fmt.Sprint("change-", n.merged), Author: "ann",
		Files: map[string]*string{fmt.Sprint("src/", n.merged): githubsim.Text("x\n")},
	})
	if err == nil {
		_, err = n.github.MergePull(neighbourRepo, number, "ann", "squash")
	}
	if err != nil {
		n.log.Broken(ledger.PeopleCanWork, "merge #%d of the neighbour: %v", number, err)
	}
	n.log.Note("  the neighbour merges #%d", number)
}

// is reports whether a request is about the neighbour: it has a token of its installation.
func (n *neighbour) is(r *http.Request) bool {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, is := n.tokens.Load(token)
	return is
}

// noteToken notes a token that GitHub has just given to the neighbour's installation.
func (n *neighbour) noteToken(r *http.Request, answer *http.Response) error {
	if n.grants == "" || !strings.HasSuffix(r.URL.Path, n.grants) {
		return nil
	}
	body, err := io.ReadAll(answer.Body)
	var granted struct{ Token string }
	if err = errors.Join(err, answer.Body.Close(), json.Unmarshal(body, &granted)); err == nil && granted.Token != "" {
		n.tokens.Store(granted.Token, true)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return err
}
