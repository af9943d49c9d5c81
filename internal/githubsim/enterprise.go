package githubsim

import "net/url"

// BeEnterprise has GitHub be an Enterprise Server of a version from now on, as it is when installed: its answers and
// webhooks name the version, there are no rate limits, and nobody has set up that it signs commits. The rest is as
// on github.com. The addresses are those of an Enterprise Server at all times.
func (s *Server) BeEnterprise(version string) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.enterprise = version
	s.limits.SetOff(true)
	s.hub.Refs.Unsigned = true
	host := s.URL()
	if u, err := url.Parse(host); err == nil {
		host = u.Host
	}
	s.Courier.FromEnterprise(host, version)
}

// SignCommits sets up web commit signing, as an administrator of an Enterprise Server does: from now on GitHub signs
// the commits that it makes.
func (s *Server) SignCommits() {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.hub.Refs.Unsigned = false
}

// enterpriseVersion returns the version of the Enterprise Server that this is; empty if it is github.com.
func (s *Server) enterpriseVersion() string {
	s.hub.Lock()
	defer s.hub.Unlock()
	return s.enterprise
}
