package health

import (
	"fmt"
	"slices"
	"strings"

	"waybill/app/api"
	"waybill/app/gh"
	"waybill/promotion"
)

// eachMissing calls a function with each permission that the App lacks, and with the installation that has not accepted
// it; nil: the App itself does not have it.
func (f *facts) eachMissing(found func(n Need, in *gh.Installation)) {
	for _, n := range Permissions {
		if !n.permittedBy(f.app.Grants) {
			found(n, nil)
			continue
		}
		for i := range f.installations {
			if in := &f.installations[i]; !in.Suspended && !n.permittedBy(in.Grants) {
				found(n, in)
			}
		}
	}
}

// unsent returns the events that GitHub does not send. Those that go with a permission which the App does not have are
// a matter of that.
func (f *facts) unsent() (all []Need) {
	for _, n := range Events {
		_, offered := f.app.Permissions[n.With]
		if (n.With == "" || offered) && !slices.Contains(f.app.Events, n.Name) {
			all = append(all, n)
		}
	}
	return all
}

// granted checks that the App has the permissions that it needs, and that each account has accepted them.
func granted(f *facts) (all []api.Finding) {
	if f.appErr != nil {
		return nil
	}
	f.eachMissing(func(n Need, in *gh.Installation) {
		found := api.Finding{
			Says: "the App does not have it" + n.eventsOf(),
			Do: fmt.Sprintf("Set %s to %s on the page Permissions & events of the App, and accept the new permissions in "+
				"each installation", n.Title(), n.Level),
			Link: f.app.Settings + "/permissions",
		}
		if in != nil {
			found = api.Finding{
				Says: fmt.Sprintf("%s has not accepted it%s", in.Account.Login, n.eventsOf()),
				Do: fmt.Sprintf("An owner of %s has to accept the App's new permissions in installation %d",
					in.Account.Login, in.ID),
				Link: in.Page,
			}
		}
		all = append(all, f.lacking(n, "permission", f.pipelinesOf(in), found))
	})
	if len(all) == 0 {
		all = append(all, fine("permission", "", "all of %d are granted", len(Permissions)))
	}
	return all
}

// subscribed checks that the App gets the events that it needs.
func subscribed(f *facts) (all []api.Finding) {
	if f.appErr != nil {
		return nil
	}
	for _, n := range f.unsent() {
		all = append(all, f.lacking(n, "event", f.pipelinesOf(nil), api.Finding{
			Says: "GitHub does not send it",
			Do: fmt.Sprintf("Tick %s on the page Permissions & events of the App",
				strings.ReplaceAll(n.Name, "_", " ")),
			Link: f.app.Settings + "/permissions",
		}))
	}
	if len(all) == 0 {
		all = append(all, fine("event", "", "GitHub sends all that the permissions allow"))
	}
	return all
}

// permittedBy reports whether a permission has been granted.
func (n Need) permittedBy(g gh.Grants) bool {
	return n.grant().In(g.Permissions)
}

// Title returns the name of a permission on GitHub's pages.
func (n Need) Title() string { return n.grant().Title() }

func (n Need) grant() gh.Grant { return gh.Grant{Name: n.Name, Level: n.Level} }

// eventsOf names the events that GitHub offers with a permission.
func (n Need) eventsOf() string {
	var with []string
	for _, e := range Events {
		if e.With == n.Name {
			with = append(with, e.Name)
		}
	}
	if len(with) == 0 || n.Name == "actions" && n.Level == "write" {
		return ""
	}
	return ", nor the events that come with it (" + strings.Join(with, ", ") + ")"
}

// lacking completes the finding that something needed is not there: how bad that is depends on who needs it.
func (f *facts) lacking(n Need, check string, by []served, found api.Finding) api.Finding {
	found.Check, found.About, found.Off, found.State = check, n.Name, n.Off, api.StateFail
	if check == "permission" {
		found.About = n.permission()
	}
	if n.For.Has == nil {
		return found
	}
	var homes []string
	for _, s := range by {
		if n.For.Has(s.pipeline) {
			homes = append(homes, string(s.Repo))
		}
	}
	switch {
	case len(homes) == 0:
		found.State, found.Do, found.Link = api.StateOK, "", ""
		found.Says += "; no pipeline has " + n.For.What
	case n.For.Perhaps:
		found.State = api.StateWarn
		fallthrough
	default:
		found.Off += " (" + strings.Join(homes, ", ") + ")"
	}
	return found
}

// pipelinesOf returns the pipelines that an installation matters to, because they live in its account or name a
// repository there; nil: all.
func (f *facts) pipelinesOf(in *gh.Installation) (all []served) {
	for _, s := range f.pipelines {
		elsewhere := func(o promotion.Foreign) bool { return strings.EqualFold(o.Repo.Owner(), string(in.Account.Login)) }
		if in == nil || s.Installation == in.ID || slices.ContainsFunc(s.pipeline.Elsewhere(), elsewhere) {
			all = append(all, s)
		}
	}
	return all
}
