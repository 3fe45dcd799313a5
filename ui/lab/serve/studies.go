package serve

import "spillway/ui/lab"

// studies are the tables that can be reproduced.
func studies() []lab.Study[settings, *work, *result] {
	return nil
}
