#!/usr/bin/env lua
-- What is bought.
local Cart = {}
Cart.__index = Cart

--- Adds an item.
-- @param item what is bought
function Cart:add(item)
  self.items[#self.items + 1] = item
end

function Cart.new() return setmetatable({ items = {} }, Cart) end

Cart.clear = function(self)
  local function drop(index) self.items[index] = nil end
  for index = 1, #self.items do drop(index) end
end

local function total(cart)
  return #cart.items
end

local half = function(n) return n / 2 end

local handlers = {
  limit = 3,
  open = function(cart) return cart.open end,
  ["close"] = function(cart) cart.open = false end,
}

return {
  Cart = Cart,
  total = function(cart) return total(cart) end,
}
