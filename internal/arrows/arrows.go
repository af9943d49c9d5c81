// Package arrows checks the directions of imports between the packages of this module. It has tests only.
package arrows
