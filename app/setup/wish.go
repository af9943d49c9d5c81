package setup

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"waybill/app/health"
)

// Wish is what a person wants set up.
type Wish struct {
	GitHub  GitHub
	Public  string   // where people and GitHub will reach the server, without a slash at the end
	Org     string   // the organization that will own the App; empty: the person at the browser
	Name    string   // of the App
	Without []string // the features that are left out, of Features
	Others  []string // owners besides the App's own who may install it
}

// GitHub is where a GitHub is.
type GitHub struct{ WebURL, V3URL, V4URL string }

// githubCom is the GitHub that settings mean when they name none.
var githubCom = GitHub{"https://github.com", "https://api.github.com", "https://api.github.com/graphql"}

// At returns the GitHub whose pages are at an address: github.com, one with data residency (NAME.ghe.com), or an
// Enterprise Server.
func At(address string) (GitHub, error) {
	u, err := site(address)
	if err != nil {
		return GitHub{}, err
	}
	u.Host = strings.ToLower(u.Host)
	web := u.Scheme + "://" + u.Host
	switch {
	case u.Scheme == "http" && !local(u.Hostname()):
		return GitHub{}, fmt.Errorf("it must begin with https://, because the key and the secrets of the App come from it: "+
			"https://%s", u.Host)
	case u.Host == "github.com" || u.Host == "www.github.com":
		return githubCom, nil
	case strings.HasSuffix(u.Host, ".ghe.com"):
		api := "https://api." + u.Host
		return GitHub{web, api, api + "/graphql"}, nil
	}
	return GitHub{web, web + "/api/v3", web + "/api/graphql"}, nil
}

// IsServer reports whether it is an Enterprise Server, and not github.com or a NAME.ghe.com.
func (g GitHub) IsServer() bool { return strings.HasPrefix(g.V3URL, g.WebURL+"/") }

// PublicURL reads the address of the server. GitHub sends webhooks with what people write there, so it is https, unless
// GitHub itself is on this machine.
func (g GitHub) PublicURL(address string) (string, error) {
	u, err := site(address)
	if err != nil {
		return "", err
	}
	if web, err := url.Parse(g.WebURL); err == nil && local(web.Hostname()) {
		return u.Scheme + "://" + u.Host, nil
	}
	if local(u.Hostname()) {
		return "", fmt.Errorf("GitHub cannot reach %s: give the address at which the internet, or your GitHub Enterprise "+
			"Server, reaches the server", u.Host)
	}
	if u.Scheme != "https" {
		return "", fmt.Errorf("it must begin with https://, because commands and secrets of people come to it: put a proxy "+
			"that has a certificate in front of the server, and give its address, such as https://%s", u.Host)
	}
	return u.Scheme + "://" + u.Host, nil
}

// site reads an address that is a host and no more.
func site(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q is no address such as https://waybill.example.com", address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "":
		return nil, fmt.Errorf("%q must end behind the host, as in %s://%s", address, u.Scheme, u.Host)
	}
	return u, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

var login = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,98}[0-9A-Za-z_])?$`)
})

// IsLogin reports whether a text can be the name of a person or an organization on GitHub.
func IsLogin(name string) bool { return login().MatchString(name) }

// maxName is how long the name of an App may be.
const maxName = 34

// named returns the name of the App. All Apps of a GitHub have different names, so that the usual one begins with
// waybill and goes on with the owner or the host.
func (w Wish) named() string {
	host := strings.TrimPrefix(w.Public[strings.Index(w.Public, "://")+3:], "waybill.")
	name := cmp.Or(w.Name, "waybill-"+cmp.Or(w.Org, strings.NewReplacer(".", "-", ":", "-").Replace(host)))
	if w.Name == "" && len(name) > maxName {
		name = strings.Trim(name[:maxName], "-")
	}
	return name
}

// CheckName refuses a name of an App that GitHub would refuse.
func CheckName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("%q has %d letters: GitHub allows %d", name, len(name), maxName)
	}
	return nil
}

// Features returns the names of the features that have a permission of their own, and can be left out.
func Features() (all []string) {
	for _, n := range health.Permissions {
		if n.For.Name != "" {
			all = append(all, n.For.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// permissions are those of the tables, at the highest level that a feature asks for.
func (w Wish) permissions() map[string]string {
	levels := map[string]string{}
	for _, n := range health.Permissions {
		if !slices.Contains(w.Without, n.For.Name) && levels[n.Name] != "write" {
			levels[n.Name] = n.Level
		}
	}
	return levels
}

// events are those of the tables that GitHub offers with the permissions.
func (w Wish) events() (all []string) {
	levels := w.permissions()
	for _, n := range health.Events {
		if !slices.Contains(w.Without, n.For.Name) && (n.With == "" || levels[n.With] != "") {
			all = append(all, n.Name)
		}
	}
	return all
}
