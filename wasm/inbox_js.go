package main

// An inbox holds what arrived from outside Vugu until it is the page's turn.
// Putting something in never blocks, so callbacks of JavaScript may.
type inbox struct {
	list []func()
	wake chan struct{}
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

func (b *inbox) put(f func()) {
	b.list = append(b.list, f)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// any reports whether something is there.
func (b *inbox) any() bool { return len(b.list) > 0 }

// take waits for the next one. Only one goroutine at a time may take.
func (b *inbox) take() func() {
	for len(b.list) == 0 {
		<-b.wake
	}
	f := b.list[0]
	b.list = b.list[1:]
	return f
}
