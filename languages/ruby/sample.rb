# frozen_string_literal: true

require "set"

module Acme
  # A cart.
  class Shop::Cart < Base
    include Enumerable
    attr_reader :items

    Line = Struct.new(:item, :count) do
      def total = item.price * count
    end

    class << self
      # Makes an empty one.
      def empty
        new([])
      end
    end

    def self.of(*items) = new(items)

    # Adds an item.
    def add(item)
      @items << item
    end

    def [](index)
      @items[index]
    end

    def owner=(name)
      @owner = name
    end

    define_method(:total) { |tax| 1 }

    private def secret?
      true
    end
  end
end

class Acme::Order
end

def helper(a)
  a
end

task :default do
  puts "done"
end
