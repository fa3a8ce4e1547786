-- The schema of the shop.
SET search_path = shop;

CREATE SCHEMA IF NOT EXISTS shop;

-- What is sold.
CREATE TABLE shop.items (
  id INTEGER PRIMARY KEY, -- a number; never used again
  name TEXT NOT NULL DEFAULT 'a;b'
);

/* Names are unique. */
CREATE UNIQUE INDEX items_name ON shop.items (name);

CREATE OR REPLACE FUNCTION shop.total(cart INTEGER)
RETURNS INTEGER AS $body$
BEGIN
  RETURN (SELECT sum(price) FROM lines WHERE lines.cart = total.cart);
END;
$body$ LANGUAGE plpgsql;

create view "shop"."cheap" as
  select * from items where price < 100;

INSERT INTO shop.items (id, name) VALUES
  (1, 'CREATE TABLE not_one (id)'),
  (2, 'tea');

CREATE TRIGGER items_log AFTER INSERT ON items BEGIN
  INSERT INTO log VALUES (new.id);
  UPDATE counts SET n = n + 1;
END;

CREATE PROCEDURE [dbo].[Restock] @item INT
AS
  UPDATE items SET n = 10 WHERE id = @item;
  EXEC dbo.Log @item;
GO

CREATE TABLE lines (cart INTEGER, item INTEGER, price INTEGER)
GO

DELIMITER $$
CREATE DEFINER=`shop`@`%` PROCEDURE clear_cart(IN cart INT)
BEGIN
  DELETE FROM lines WHERE lines.cart = cart;
END$$
DELIMITER ;
