package model

// Version is the version of Spillway. CITATION.cff has the same; the page adds
// which build it is.
const Version = "0.9.0"
