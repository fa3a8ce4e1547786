{-# LANGUAGE LambdaCase #-}
-- | What is bought.
module Acme.Shop.Cart
  ( Cart (..)
  , add
  ) where

import qualified Data.Map as Map

-- | A cart.
data Cart a
  = Cart { items :: [a], owner :: String }
  | Empty
  deriving (Show)

newtype Cents = Cents Int
type Prices = Map.Map String Cents

class Priced a where
  -- | In cents.
  price :: a -> Cents
  price _ = Cents 0

instance Priced (Cart a) where
  price Empty = Cents 0
  price cart = Cents (length (items cart))

-- | Adds an item.
add :: a -> Cart a -> Cart a
{-# INLINE add #-}
add item Empty = Cart [item] ""
-- the order is kept
add item cart
  | null (items cart) = cart
  | otherwise = joined
  where
    joined = cart { items = item : items cart }

(<+>) :: Cart a -> Cart a -> Cart a
Empty <+> right = right
left <+> _ = left

limit = 10

main :: IO ()
main = do
  print limit

deriving instance Eq a => Eq (Cart a)
