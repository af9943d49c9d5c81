-- Whoever asks over the API looks for the answer by where it was asked.

CREATE INDEX requests_surface ON requests (surface);
