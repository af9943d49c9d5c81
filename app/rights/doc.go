// Package rights asks GitHub for people's permissions and teams, and keeps the answers for a few minutes.
package rights
