// Package shop sells things.
package shop

import (
	"errors"
	"fmt"
)

// ErrFull says that nothing more fits.
var ErrFull = errors.New("full")

type (
	// Cart holds items.
	Cart[T any] struct {
		items []T // in order
		owner string
	}

	// ID names a cart.
	ID string
)

// Shape is a figure.
type Shape interface {
	// Area is in square metres.
	Area() float64
	fmt.Stringer
}

type Handler func(id ID) error

// Add puts an item in.
//
// It fails when the cart is full.
func (c *Cart[T]) Add(item T) error { // O(1)
	if len(c.items) > 9 {
		return ErrFull
	}
	c.items = append(c.items, item)
	return nil
}

func (ID) String() string { return "id" }

func Map[K comparable, V any](in map[K]V) []K {
	type pair struct {
		key K
	}
	return nil
}

var handle = func(id ID) error {
	return nil
}

func init() {
	fmt.Println("ready")
}
