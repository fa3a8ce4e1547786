#!/usr/bin/env bats

setup() {
  load ../cart.sh
}

# An empty cart costs nothing.
@test "a cart's total" {
  run total "$cart"
  if [ "$status" -ne 0 ]; then
    fail
  fi
}

@test 'adds {braces}' { cart::add a b; }
