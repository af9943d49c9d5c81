package handlers

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Addresses tells from where requests come.
type Addresses struct {
	// Proxies are the reverse proxies in front of the server, whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
}

// private are the networks, besides those that netip knows, of which no address is one sender's: those of carriers and
// clusters.
var private = netip.MustParsePrefix("100.64.0.0/10")

// Of returns the address that a request comes from; the zero Addr if that is not known. What a proxy says counts only
// if the proxy is one of Proxies. A peer on the machine itself or in a private network is taken for a proxy that nobody
// has named: behind it all senders have one address, so that it says nothing.
func (a Addresses) Of(r *http.Request) netip.Addr {
	peer := peerOf(r.RemoteAddr)
	if !a.isProxy(peer) {
		return single(peer)
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, one := range slices.Backward(said) {
		address, err := netip.ParseAddr(strings.TrimSpace(one))
		if err != nil {
			return netip.Addr{}
		}
		if address = address.Unmap().WithZone(""); !a.isProxy(address) {
			return single(address)
		}
	}
	return netip.Addr{}
}

// Inside reports whether a request comes from the machine itself or a private network, and no proxy has passed it on.
func Inside(r *http.Request) bool {
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	peer := peerOf(r.RemoteAddr)
	return peer.IsValid() && !single(peer).IsValid()
}

// peerOf returns the address of the other end of a connection; the zero Addr if it has none.
func peerOf(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

func (a Addresses) isProxy(address netip.Addr) bool {
	return slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// single returns an address behind which there is one sender, as far as can be seen; of others the zero Addr.
func single(address netip.Addr) netip.Addr {
	if !address.IsValid() || address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() ||
		private.Contains(address) {
		return netip.Addr{}
	}
	return address
}

// Network returns the network that counts as one sender: an IPv4 address, or the /64 that one IPv6 customer has at
// least. The zero Prefix stands for nobody in particular.
func Network(address netip.Addr) netip.Prefix {
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
