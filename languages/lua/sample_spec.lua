local Cart = require("cart")

-- What a cart does.
describe("a cart", function()
  local cart

  before_each(function()
    cart = Cart.new()
  end)

  it("is empty", function()
    assert.equal(0, #cart.items)
  end)
end)

app:get("/carts/:id", function(self) return self.cart end)
