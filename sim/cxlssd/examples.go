package cxlssd

import "spillway/sim/policy"

// examples are texts to start from. The first is SkyByte's, which docs/policies.md has.
func examples() []policy.Example {
	return []policy.Example{
		{Title: "SkyByte", About: "Its threshold for promotion follows how much promoted pages are used; its switch compares with a threshold. As the artifact has it.", Text: `# SkyByte by hand
keep down = 0
keep benefit = 0
keep seen = 0
promote = hits >= most - down
when access: seen = seen + 1
when hit: benefit = benefit + (hits if promoted else 0)
when hit: down = 0 if seen >= reset else (max(down - 1, 0) if benefit < seen else (min(down + 1, most - 1) if promoted else down))
when hit: benefit = 0 if seen >= reset else benefit, seen = 0 if seen >= reset else seen
switch = wait >= threshold if latency_known or merged else wait > threshold
compact = log_used >= log_half`},
		{Title: "Hot pages", About: "A page is promoted at the p1-th hit. Set Dial 1 to 8 for a start.", Text: "# Hot pages\npromote = hits >= p1"},
		{Title: "Nothing moves", About: "No page is promoted and no thread switched, which is what all else is compared with.", Text: "# Nothing moves\npromote = hits < 0\nswitch = wait < 0"},
		{Title: "Compact early", About: "The log is compacted once a share p1 of it is full. Set Dial 1 to 0.3.", Text: "# Compact early\ncompact = log_used >= p1 * log_slots"},
	}
}
