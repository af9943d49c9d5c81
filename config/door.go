package config

import (
	"net/netip"
	"strings"
)

// DefaultPerAddress is how many connections of one address are open at most, unless the server says otherwise.
const DefaultPerAddress = 100

// Door is how requests from outside are told apart by where they come from.
type Door struct {
	// Proxies are the reverse proxies in front of the server, whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// PerAddress is how many connections one address has open at most.
	PerAddress int
	// OnlyGitHub says that webhooks are taken from the addresses that GitHub publishes only.
	OnlyGitHub bool
	// OpenMetrics lets everybody read /metrics who reaches the server, and not only its own network.
	OpenMetrics bool
}

func (e *environment) door() Door {
	return Door{
		Proxies:    e.networks("WAYBILL_TRUSTED_PROXIES"),
		PerAddress: e.count("WAYBILL_CONNECTIONS_PER_ADDRESS", DefaultPerAddress),
		OnlyGitHub: e.either("WAYBILL_WEBHOOKS_FROM", "anywhere", "github"),

		OpenMetrics: e.either("WAYBILL_METRICS_FROM", "inside", "anywhere"),
	}
}

// networks reads a list of addresses and networks, with commas or blanks between them.
func (e *environment) networks(name string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range strings.FieldsFunc(e.getenv(name), isSeparator) {
		network, err := netip.ParsePrefix(text)
		if address, alone := netip.ParseAddr(text); alone == nil {
			address = address.Unmap()
			network, err = address.Prefix(address.BitLen())
		}
		switch {
		case err != nil:
			e.wrong(name, "must list addresses and networks such as 10.0.0.7 or 10.0.0.0/8, not %s", quote(text))
		case network.Bits() == 0:
			e.wrong(name, "must not have %s: everybody could claim any address", quote(text))
		default:
			all = append(all, network.Masked())
		}
	}
	return all
}

// either reads a variable of two values, and reports whether it has the second one.
func (e *environment) either(name, usual, other string) bool {
	switch s := e.getenv(name); s {
	case "", usual:
	case other:
		return true
	default:
		e.wrong(name, "must be %s or %s, not %s", usual, other, quote(s))
	}
	return false
}

// doorWarnings returns what does not work with settings that are right by themselves.
func (s Server) doorWarnings() []string {
	if !s.Door.OnlyGitHub || len(s.Door.Proxies) > 0 {
		return nil
	}
	return []string{"WAYBILL_WEBHOOKS_FROM is github, but WAYBILL_TRUSTED_PROXIES is not set: behind a proxy on this " +
		"machine or in a private network all webhooks are taken, wherever they come from"}
}
