// Package serve simulates how language models are served: requests, an engine that computes one step after the other over
// pages of keys and values, one replica or more behind a router, and tiers that keep what was computed of prompts.
package serve
