%% What is bought.
-module(cart).
-behaviour(gen_server).

-export([add/2, total/1, init/1]).

-include("cart.hrl").
-define(LIMIT, 3).
-define(HALF(N), (N / 2)).

%% An item with its price.
-record(item, {
    name :: binary(),
    price = 0 :: number()
}).

-type cart() :: [#item{}].
-opaque id() :: integer().

-callback rate(cart()) -> float().

-doc "Adds an item.".
-spec add(#item{}, cart()) -> cart().
add(Item, Cart) when length(Cart) < ?LIMIT ->
    [Item | Cart];
% a full cart
add(_, Cart) ->
    Cart.

total([]) -> 0;
total([#item{price = P} | T]) ->
    Add = fun(X) -> X + total(T) end,
    Add(P).

total(Cart, Rate) -> total(Cart) * Rate.

init([]) -> {ok, []}.

-ifdef(TEST).
add_test() -> [_] = add(#item{name = <<"a">>}, []).
-endif.
