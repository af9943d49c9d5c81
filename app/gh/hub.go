package gh

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	jwt "github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v60/github"
	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/promotion"
)

// keptClients is how many clients are kept, of all repositories and of those of an installation: names come from
// pipeline files, and nobody says when one is needed no more. A forgotten one is made anew, with a new token.
const keptClients = 1000

// Config says which GitHub there is and who we are there.
type Config struct {
	V3URL      string // address of the REST API: https://api.github.com
	V4URL      string // address of the GraphQL API: https://api.github.com/graphql
	WebURL     string // address of the pages for people: https://github.com
	AppID      int64
	PrivateKey []byte // of the App, as GitHub hands it out: PEM
	// Transport carries the requests; http.DefaultTransport if nil.
	Transport http.RoundTripper
	// Clock tells the time that rate limits are measured by, and how long a token with fewer permissions is used; time.Now
	// if nil. When a token ends follows the wall clock.
	Clock func() time.Time
	// Content counts the content that is made; nil: there may be any number.
	Content Content
	// Serves reports whether the repositories of an owner are asked about; nil: all are. It is asked with the name alone
	// before GitHub has told the id, and then with the id.
	Serves func(ctx context.Context, owner promotion.Actor) (bool, error)
	// Observe hears of every request that was answered; may be nil.
	Observe func(Call)
	// Changed hears that an installation is shut or open, see Hub.Shut; may be nil.
	Changed func(installation int64)
}

// Hub speaks for the App, and hands out clients that speak for its installations. It is safe for concurrent use.
type Hub struct {
	config   Config
	key      *rsa.PrivateKey
	v3       *url.URL
	answers  *answers
	changes  *lru.Cache[string, []string] // paths that differ between two commits of a repository
	within   *lru.Cache[string, bool]     // whether commits of repositories are contained in others
	app      *github.Client
	lanes    lanes
	portions portions
	// nap waits between two tries of a call that GitHub refused for a moment only; tests make it short.
	nap func(ctx context.Context, d time.Duration) error

	clock *githubClock

	signs atomic.Pointer[bool] // whether GitHub has signed the last commit that we had made; nil: not known

	mu            sync.Mutex
	self          *Self
	installations map[int64]*installationState
	owners        map[string]int64 // the installation of each owner that was asked for, in small letters
	clients       *lru.Cache[string, *Client]
}

// New returns a hub. It asks nothing yet: a wrong key shows at the first call.
func New(config Config) (*Hub, error) {
	key, err := jwt.ParseRSAPrivateKeyFromPEM(config.PrivateKey)
	if err != nil {
		return nil, errors.New("read private key of the App: it is not an RSA key in PEM") // err could quote it
	}
	if config.AppID <= 0 {
		return nil, fmt.Errorf("start GitHub client: %d is not the id of an App", config.AppID)
	}
	h, err := newHub(config)
	if err != nil {
		return nil, err
	}
	h.key = key
	h.app = h.rest(&http.Client{
		Transport: h.answers.revalidating("app",
			h.newInstallation(0).limited("", signing{h.asApp(h.config.Transport)})),
		Timeout: timeout, CheckRedirect: never,
	})
	return h, nil
}

// newHub returns a hub that speaks for nobody yet.
func newHub(config Config) (*Hub, error) {
	v3, err := baseURL(config.V3URL)
	if err != nil {
		return nil, err
	}
	if _, err := baseURL(config.V4URL); err != nil {
		return nil, err
	}
	h := &Hub{
		config: config.withDefaults(), v3: v3, nap: nap, installations: map[int64]*installationState{},
		owners: map[string]int64{}, clients: remember[*Client](keptClients),
		answers: &answers{lru: remember[answer](cachedAnswers)},
		changes: remember[[]string](cachedChanges), within: remember[bool](cachedChanges),
	}
	h.clock = &githubClock{ours: h.config.Clock}
	return h, nil
}

// AppID returns the id of our App.
func (h *Hub) AppID() int64 { return h.config.AppID }

func (c Config) withDefaults() Config {
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Serves == nil {
		c.Serves = func(context.Context, promotion.Actor) (bool, error) { return true, nil }
	}
	if c.Observe == nil {
		c.Observe = func(Call) {}
	}
	if c.Changed == nil {
		c.Changed = func(int64) {}
	}
	c.Transport = c.onlyGitHub()
	return c
}

// baseURL reads the address of an API as go-github wants it, with a slash at the end.
func baseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/") + "/")
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, fmt.Errorf("start GitHub client: %q is not the address of an API", address)
	}
	return u, nil
}

// rest returns a client for the REST API over a client for HTTP.
func (h *Hub) rest(over *http.Client) *github.Client {
	c := github.NewClient(over)
	c.BaseURL, c.UserAgent = h.v3, "waybill"
	return c
}

// never refuses redirects: a name that leads elsewhere is another repository (T22, T29).
func never(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// nap waits, unless the context ends.
func nap(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fullName is the form of a repository's name. Names become parts of addresses.
var fullName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`)
})

// split takes a repository's name apart.
func split(repo promotion.Repo) (owner, name string, err error) {
	if repo.HasLeft() {
		return "", "", noAccess(string(repo)+" has left its name to another repository", nil)
	}
	owner, name, _ = strings.Cut(string(repo), "/")
	if !fullName().MatchString(string(repo)) || name == "." || name == ".." {
		return "", "", refused("%q is not the name of a repository", string(repo))
	}
	return owner, name, nil
}
