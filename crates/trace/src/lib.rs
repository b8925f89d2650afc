//! A path of steps: replay and its saved form.
