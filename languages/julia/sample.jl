"""
Carts and what is in them.
"""
module Shop

using Base: show
export Cart, total

const RATE = 0.2

abstract type Item end

"What is bought."
mutable struct Cart{T<:Item} <: AbstractVector{T}
    items::Vector{T}
    open

    Cart{T}() where {T} = new{T}(T[], true)
end

@enum Color RED GREEN

Base.@kwdef struct Price
    amount::Float64 = 1.0
end

"""
    add!(cart, item)

Adds an item.
"""
function add!(cart::Cart{T}, item::T)::Cart{T} where {T}
    check(x) = x !== nothing
    check(item) && push!(cart.items, item)
    cart
end

# The sum of all prices.
total(cart::Cart) = sum(price, cart.items)
@inline price(item)::Float64 = 1.0

Base.length(cart::Cart) = length(cart.items)

function Base.:(==)(a::Cart, b::Cart)
    a.items == b.items
end

function discount end

macro free(item)
    :(0 * $item)
end

end

using Test

@testset "a cart" begin
    @test total(Shop.Cart()) == 0
end
