package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func deliveriesCommand(getenv func(string) string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deliveries",
		Short: "Webhooks that could not be handled",
		Long: "Shows the webhooks that the server has set aside because handling them failed, and has them handled again.\n" +
			"Deliveries belong to the whole server: the token must not have repos=.",
	}
	chosen(cmd)
	cmd.AddCommand(listDeliveries(getenv), showDelivery(getenv), replayDeliveries(getenv))
	return cmd
}

func listDeliveries(getenv func(string) string) *cobra.Command {
	var r remote
	var state string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List parked deliveries, with the reason",
		Args:  words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			all, err := s.deliveries(cmd.Context(), state)
			if err != nil {
				return err
			}
			p := newPage(cmd.OutOrStdout(), getenv)
			return r.print(p, api.Deliveries{Deliveries: all}, func() { p.deliveries(all, state) })
		},
	}
	cmd.Flags().StringVar(&state, "state", "parked", "list those in `STATE`: parked, waiting or handled")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(
		[]cobra.Completion{"parked", "waiting", "handled"}, cobra.ShellCompDirectiveNoFileComp))
	r.flags(cmd)
	return cmd
}

func showDelivery(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "show GUID",
		Short: "Show a delivery, and its body to a token with scope=operate",
		Args:  words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			var d api.DeliveryDetail
			if err := s.get(cmd.Context(), deliveryPath(args[0]), &d); err != nil {
				return err
			}
			p := newPage(cmd.OutOrStdout(), getenv)
			return r.print(p, d, func() { p.delivery(d) })
		},
	}
	r.flags(cmd)
	return cmd
}

func replayDeliveries(getenv func(string) string) *cobra.Command {
	var r remote
	var all bool
	cmd := &cobra.Command{
		Use:   "replay GUID... | --all-parked",
		Short: "Have deliveries handled again",
		Long: "Has deliveries handled again that were parked, now that what was wrong has been put right. Handling twice " +
			"what was\nhandled before changes nothing. It needs a token with scope=operate.",
		RunE: func(cmd *cobra.Command, guids []string) error {
			if all == (len(guids) > 0) {
				return misused("replay needs the GUIDs of deliveries, or --all-parked")
			}
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			replayed, err := s.replay(cmd.Context(), guids, all)
			p := newPage(cmd.OutOrStdout(), getenv)
			return errors.Join(r.print(p, api.Deliveries{Deliveries: replayed}, func() { p.replayed(replayed) }), err)
		},
	}
	cmd.Flags().BoolVar(&all, "all-parked", false, "replay everything that is parked")
	r.flags(cmd)
	return cmd
}

func deliveryPath(guid string, more ...string) string {
	return path(append([]string{"api", "v1", "deliveries", guid}, more...)...)
}

// deliveries lists all deliveries in a state, page by page.
func (s *server) deliveries(ctx context.Context, state string) ([]api.Delivery, error) {
	all := []api.Delivery{}
	query := url.Values{"state": {state}, "limit": {"100"}}
	for {
		var page api.Deliveries
		if err := s.get(ctx, "/api/v1/deliveries?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Deliveries...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("cursor", page.Next)
	}
}

// replay has deliveries handled again, and returns those that will be.
func (s *server) replay(ctx context.Context, guids []string, all bool) ([]api.Delivery, error) {
	if all {
		parked, err := s.deliveries(ctx, "parked")
		if err != nil {
			return nil, err
		}
		for _, d := range parked {
			guids = append(guids, d.Source+":"+d.GUID)
		}
	}
	replayed := []api.Delivery{}
	for _, guid := range guids {
		var d api.Delivery
		if err := s.post(ctx, deliveryPath(guid, "replay"), &d); err != nil {
			return replayed, fmt.Errorf("replay %s: %w", guid, err)
		}
		replayed = append(replayed, d)
	}
	return replayed, nil
}

// deliveries prints a list, newest first.
func (p *page) deliveries(all []api.Delivery, state string) {
	if len(all) == 0 {
		p.line(0, good, "Nothing is "+state+".")
		return
	}
	p.now = time.Now()
	for _, d := range all {
		p.line(0, loud, d.GUID)
		p.facts(d)
	}
}

// facts prints the known fields of a delivery besides its contents.
func (p *page) facts(d api.Delivery) {
	what := d.Event
	if d.Action != "" {
		what += " " + d.Action
	}
	if d.Repo != "" {
		what += " of " + d.Repo
	}
	p.line(2, plain, fmt.Sprintf("%s, received %s, tried %d times: %s", what, p.ago(d.Received), d.Attempts, d.State))
	if d.NextLook != nil {
		p.line(2, waits, "tried again "+p.in(*d.NextLook))
	}
	if d.Error != "" {
		p.line(2, bad, d.Error)
	}
}

// delivery prints one delivery with its body.
func (p *page) delivery(d api.DeliveryDetail) {
	p.deliveries([]api.Delivery{d.Delivery}, d.State)
	if d.Body == nil {
		p.line(2, quiet, "its body is for a token with scope=operate")
		return
	}
	body, err := json.MarshalIndent(d.Body, "", "  ")
	if err != nil {
		p.err = err
		return
	}
	for line := range strings.SplitSeq(string(body), "\n") {
		p.print(clean(line) + "\n")
	}
}

// replayed lists the deliveries that will be handled again.
func (p *page) replayed(all []api.Delivery) {
	if len(all) == 0 {
		p.line(0, good, "Nothing is parked.")
	}
	for _, d := range all {
		p.line(0, plain, d.GUID+" is handled again")
	}
}
