// Package show shows views that are not as they are wanted, through the surfaces that they belong to.
package show
