defmodule Acme.Shop.Cart do
  @moduledoc """
  A cart.
  """
  alias Acme.Shop.Item

  defstruct owner: nil, lines: []

  @type t :: %__MODULE__{owner: String.t(), lines: [Item.t()]}

  @doc "Adds an item."
  @spec add(t, Item.t(), pos_integer) :: t
  def add(cart, item, count \\ 1)
  def add(%{lines: lines} = cart, item, count) when count > 0 do
    %{cart | lines: [{item, count} | lines]}
  end

  # Nothing to add.
  def add(cart, _item, 0), do: cart

  def empty?(%{lines: []}), do: true
  def empty?(_cart), do: false

  defp price({item, count}), do: item.price * count

  defmacro discount(percent) do
    quote do
      def discount, do: unquote(percent)
    end
  end

  defguard is_cart(term) when is_struct(term, __MODULE__)

  def left + right, do: merge(left, right)

  defmodule Line do
    defdelegate name(line), to: Item
  end
end

defimpl Enumerable, for: Acme.Shop.Cart do
  def count(cart), do: {:ok, length(cart.lines)}
end

defprotocol Acme.Priced do
  @doc "In cents."
  def price(thing)
end
