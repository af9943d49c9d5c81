package store

import "math/rand/v2"

// Noise returns bytes that cannot be compressed.
func Noise(n int) []byte {
	all := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(all) // never fails
	return all
}
