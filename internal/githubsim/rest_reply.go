package githubsim

import "net/http"

func ok(body any) reply      { return reply{status: http.StatusOK, body: body} }
func created(body any) reply { return reply{status: http.StatusCreated, body: body} }
func nothing() reply         { return reply{status: http.StatusNoContent} }
