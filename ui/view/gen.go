// Package view is the page: Vugu components that place things and forward clicks.
// What they show comes from ui/model.
package view

//go:generate go tool vugugen -skip-go-mod -skip-main .
//go:generate gofmt -w .
