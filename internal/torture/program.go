package torture

import (
	"net/http"

	"waybill/internal/githubsim"
)

var _ http.RoundTripper = (*githubsim.Server)(nil)
