package work

// The keys of log fields, the same everywhere.
const (
	KeyRepo         = "repo"
	KeyStage        = "stage"
	KeyPromotion    = "promotion"
	KeyDelivery     = "delivery"
	KeyEffect       = "effect"
	KeyRequest      = "request"
	KeyInstallation = "installation"
)
