package rest

import "net/http"

func ok(body any) reply      { return reply{Status: http.StatusOK, Body: body} }
func created(body any) reply { return reply{Status: http.StatusCreated, Body: body} }
func nothing() reply         { return reply{Status: http.StatusNoContent} }
