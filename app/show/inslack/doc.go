// Package inslack is Slack as a surface: commands come by /waybill, mentions and buttons; answers are messages to the
// person or in the thread; messages, direct messages and the App Home show the state of freight.
package inslack
