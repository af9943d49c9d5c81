// Package say writes the texts for people: comments, check runs, pull requests, messages in Slack, reports. Only the
// detail of a reason, [promotion.Reason.With], is written where the reason is made.
//
// Reasons and states come in as data and are put into words here: a [promotion.Status], a [promotion.FreightStatus], a
// [promotion.Obstacle]. They are decided already: no word is made of a [promotion.Snapshot]. No program reads the words
// back. Text of people is shown so that it pings, links and formats nothing, by [Plain] on GitHub and by [Mrkdwn] in
// Slack.
package say
