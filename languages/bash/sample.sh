#!/usr/bin/env bash
# Keeps the carts of a shop in files.
set -euo pipefail

readonly CARTS="${CARTS:-/var/lib/shop/carts}"

# Adds an item to a cart.
# $1: the cart, $2: the item
cart::add() {
  local cart=$1 item=$2
  printf '%s\n' "$item" >>"$CARTS/$cart"
}

function total {
  local sum=0 price
  while read -r price; do
    sum=$((sum + price))
  done <"$CARTS/$1"
  cat <<-EOF
	total() { is no function here }
	$sum
	EOF
}

in_shop() (
  cd "$CARTS" && "$@"
)

if [[ ${1:-} == --verbose ]]; then
  log() { echo "$@" >&2; }
else
  log() { :; }
fi

case ${1:-} in
  add) shift && cart::add "$@" ;;
  total) total "$2" ;;
  *) log "nothing to do" ;;
esac
