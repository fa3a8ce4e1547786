defmodule Acme.Shop.CartTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, cart: %Acme.Shop.Cart{}}
  end

  # Both orders.
  describe "add/3" do
    test "keeps the order", %{cart: cart} do
      assert Acme.Shop.Cart.add(cart, :tea)
    end
  end

  @tag :slow
  test "an empty cart costs nothing" do
    assert Acme.Shop.Cart.empty?(%Acme.Shop.Cart{})
  end
end
