//! A web page on loopback to walk through the states of a model.
#![forbid(unsafe_code)]
