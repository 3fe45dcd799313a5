package cxlssd

import "spillway/ui/lab"

// Settings of one mechanism.
const (
	switches = "switching switch threshold"
	promotes = "host_dram demote_dirty demote_most fill_promote promote_at promote_reset scan_period scan_pages promote_copy shootdown"
	freely   = "own_log own_switch own_promote"
)

// unread is what designs do not read: settings of mechanisms that they do not have, and of flash where there is none.
func unread() []lab.Unread {
	return []lab.Unread{
		{Systems: "dram-only", Keys: "switching"},
		{Systems: "dram-only bound", Keys: "switch threshold " + promotes + " fill flash_read flash_program flash_erase channel_rate ssd_dram log ways link link_rate index access precondition collect_at collect_until endurance store_buffer mode"},
		{Systems: "dram-only", Keys: "flash_price"},
		{Systems: "bound", Keys: "channels dies planes blocks pages dram_price flash_price"},
		{Systems: "base-cssd skybyte-p skybyte-w skybyte-wp", Keys: switches},
		{Systems: "base-cssd skybyte-c skybyte-w", Keys: promotes},
		{Systems: "base-cssd skybyte-p skybyte-c skybyte-cp skybyte-ct astriflash-cxl", Keys: "log"},
		{Systems: "skybyte-ct skybyte-wct", Keys: "promote_reset"},
		{Systems: "dram-only base-cssd skybyte-p skybyte-c skybyte-w skybyte-cp skybyte-wp skybyte-full skybyte-ct skybyte-wct astriflash-cxl bound", Keys: freely},
	}
}
